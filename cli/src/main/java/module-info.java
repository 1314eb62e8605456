/// The `quarry` command.
module dev.quarry.cli {
  requires dev.quarry;
  requires dev.quarry.plan;
  requires info.picocli;
  requires static org.jspecify;

  opens dev.quarry.cli to
      info.picocli;
}
