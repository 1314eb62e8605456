package dev.quarry.cli;

import tools.jackson.databind.node.ObjectNode;

/// What a verb found, in both of its forms.
interface Answer {
  /// Lines for people, each with its end.
  String text();

  /// The document of `docs/formats/json.md`.
  ObjectNode json();
}
