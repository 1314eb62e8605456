/// The `quarry` command.
module dev.quarry.cli {
  requires dev.quarry;
  requires dev.quarry.plan;
  requires info.picocli;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires static org.jspecify;

  opens dev.quarry.cli to
      info.picocli;

  uses dev.quarry.storage.StorageProvider;
}
