/// Device memory for JVM programs: pools laid out for a workload, measured by a dry run, capped at
/// what was measured.
module dev.quarry {
  exports dev.quarry;
  exports dev.quarry.failure;
  exports dev.quarry.jfr;
  exports dev.quarry.layout;
  exports dev.quarry.report;
  exports dev.quarry.runtime;
  exports dev.quarry.size;
  exports dev.quarry.storage;

  uses dev.quarry.storage.StorageProvider;

  provides dev.quarry.storage.StorageProvider with
      dev.quarry.storage.BytesProvider;

  requires static transitive jdk.jfr;
  requires static transitive org.jspecify;
}
