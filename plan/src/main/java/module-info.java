/// From what happened to what to install: traces, their replay through the real pools, and plans.
module dev.quarry.plan {
  exports dev.quarry.plan;
  exports dev.quarry.replay;
  exports dev.quarry.trace;

  requires transitive dev.quarry;
  requires static transitive org.jspecify;
  requires de.siegmar.fastcsv;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires jdk.jfr;
}
