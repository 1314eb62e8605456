package dev.quarry.cli;

import dev.quarry.failure.MemoryException;
import dev.quarry.layout.LayoutException;
import dev.quarry.plan.PlanException;
import dev.quarry.size.ByteSize;
import dev.quarry.trace.TraceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// Turns whatever went wrong into one sentence on the standard error, and into the exit code.
final class Complaints {
  private Complaints() {}

  static void say(PrintWriter err, String sentence) {
    err.println("quarry: " + sentence.strip().replaceAll("\\s*\\R\\s*", " "));
    err.flush();
  }

  /// Runs something that ends with an exit code, whatever happens.
  static int guard(Streams streams, Callable<Integer> work) {
    try {
      return work.call();
    } catch (OutOfMemoryError e) {
      say(
          streams.err(),
          "this needs more than the Java heap of "
              + new ByteSize(Runtime.getRuntime().maxMemory()).rounded()
              + "; set JDK_JAVA_OPTIONS=-Xmx16g, say, for a larger one");
    } catch (Exception | StackOverflowError e) {
      say(streams.err(), ownMistake(e));
    }
    return ExitCode.MISUSE;
  }

  /// The words make no command.
  static int misused(ParameterException e, String[] words) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    say(
        err,
        e instanceof UnmatchedArgumentException u
            ? unmatched(u)
            : lowered(String.valueOf(e.getMessage()).replaceFirst("^Error: ", "")));
    err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    return ExitCode.MISUSE;
  }

  private static String unmatched(UnmatchedArgumentException e) {
    String word = e.getUnmatched().getFirst();
    var verbs = e.getCommandLine().getSubcommands().keySet();
    if (word.startsWith("-") && word.length() > 1) return "unknown option '" + word + "'";
    return verbs.isEmpty()
        ? "'" + word + "' is one word too many"
        : "unknown verb '" + word + "': expected one of " + String.join(", ", verbs);
  }

  /// Begins with a small letter, unless the first word is all capitals.
  private static String lowered(String message) {
    boolean word = message.length() > 1 && Character.isLowerCase(message.charAt(1));
    return word ? message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1) : message;
  }

  /// The command was understood and could not be done.
  static int failed(Exception e, CommandLine command, ParseResult words) {
    say(command.getErr(), sentence(e));
    return e instanceof PlanException plan && plan.isAboutTheWork()
        ? ExitCode.CHECK_FAILED
        : ExitCode.MISUSE;
  }

  private static String sentence(Exception e) {
    return switch (e) {
      case MemoryException device -> String.valueOf(device.getMessage());
      case TraceException _, PlanException _, LayoutException _ ->
          plain(String.valueOf(e.getMessage()), e.getCause());
      default -> ownMistake(e);
    };
  }

  /// Says a cause in words where the message has it with the name of its class.
  private static String plain(String message, @Nullable Throwable cause) {
    return cause instanceof IOException io ? message.replace(io.toString(), reason(io)) : message;
  }

  private static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException _ -> "access denied";
      case NoSuchFileException _ -> "no such file or directory";
      case FileSystemException f when f.getReason() != null -> f.getReason();
      default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    };
  }

  private static String ownMistake(Throwable e) {
    StackTraceElement[] stack = e.getStackTrace();
    return "a mistake in quarry itself, please report it: "
        + e
        + (stack.length == 0 ? "" : " at " + stack[0]);
  }
}
