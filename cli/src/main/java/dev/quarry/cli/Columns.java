package dev.quarry.cli;

import java.util.ArrayList;
import java.util.List;

/// Rows of cells, each column as wide as its widest cell.
final class Columns {
  private static final String GAP = "  ";

  private final String alignments;
  private final List<String[]> rows = new ArrayList<>();

  /// @param alignments one character per column: `<` for text at the left, `>` for numbers at the
  ///   right
  Columns(String alignments) {
    this.alignments = alignments;
  }

  Columns row(Object... cells) {
    String[] row = new String[alignments.length()];
    for (int i = 0; i < row.length; i++) row[i] = i < cells.length ? String.valueOf(cells[i]) : "";
    rows.add(row);
    return this;
  }

  /// The rows as lines, indented.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String fill = " ".repeat(width(i) - row[i].length());
        line.append(GAP);
        line.append(alignments.charAt(i) == '>' ? fill + row[i] : row[i] + fill);
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row[column].length()).max().orElse(0);
  }
}
