/// From what happened to what to install: traces, their replay through the real pools, and plans.
module dev.quarry.plan {
  requires transitive dev.quarry;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires static transitive org.jspecify;
}
