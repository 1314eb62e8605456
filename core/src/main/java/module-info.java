/// Device memory for JVM programs: pools laid out for a workload, measured by a dry run, capped at
/// what was measured.
module dev.quarry {
  requires static transitive org.jspecify;
}
