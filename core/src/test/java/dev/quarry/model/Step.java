package dev.quarry.model;

import dev.quarry.storage.Mapping;

/// One operation of a random sequence. Whom it is about is a number that is read modulo what there
/// is when the step is taken, so a sequence stays meaningful when steps are taken out of it.
sealed interface Step {
  record Reserve(long size, Mapping mapping) implements Step {}

  record Close(int owner) implements Step {}

  record Duplicate(int owner) implements Step {}

  record Bind(int owner) implements Step {}

  record IntoBinding(int owner) implements Step {}

  record Locate(int owner) implements Step {}

  /// Use of an owner that is closed already.
  record Misuse(int owner) implements Step {}

  record CleanUp() implements Step {}

  /// Installs one of the scenario's layouts.
  record Install(int layout) implements Step {}

  record InstallNonsense() implements Step {}

  record OpenWindow() implements Step {}

  record CloseWindow(int window) implements Step {}

  record BeginCapture() implements Step {}

  record EndPriming() implements Step {}

  /// Ends the capture and keeps the pins, or closes them at once.
  record EndCapture(boolean keepPins) implements Step {}

  /// Claims the part of an allocation between two fractions of it for a new failure, or for one
  /// that is present.
  record Taint(int owner, double from, double to, boolean fresh) implements Step {}

  record Written(int owner, double from, double to) implements Step {}

  record Failure(int owner, double from, double to) implements Step {}
}
