package dev.quarry.pool;

import java.util.Arrays;

/// Free extents in address order, with the first one of at least a given length found in
/// logarithmic time.
///
/// An *extent* is a run of free bytes: an *address*, which orders it, and a *length*. What an
/// address means is the pool's business: a sliced pool numbers the bytes of all its pages through,
/// a pool of whole pages uses the page's number.
///
/// **Why first fit.** Placement must be a pure function of the requests and releases before it, or
/// a measured plan would not replay; and it must be the lowest address that fits, because that is
/// the rule of the reference. Searching by scanning costs time in proportion to what is live, so
/// the extents are kept in an ordered tree in which every inner entry also carries the largest
/// length below it. The first extent of at least *n* bytes is then found by one descent: at each
/// node take the first entry whose largest length reaches *n*. (Augmenting an ordered tree with a
/// maximum is the textbook technique of Cormen, Leiserson, Rivest and Stein, *Introduction to
/// Algorithms*, chapter "Augmenting Data Structures"; using it for first fit goes back to C. J.
/// Stephenson, *Fast Fits*, 1983, who kept it in a Cartesian tree and so without a worst-case
/// bound.)
///
/// **The tree** is a B+ tree after Bayer and McCreight. All nodes have the same shape: up to 32
/// entries of an address, a length and, in inner nodes, a child. The entry of an inner node carries
/// the lowest address and the largest length of its child. All leaves are at level 0. Nodes live in
/// three primitive arrays and are numbered, so that a search touches a few contiguous cache lines
/// and nothing is allocated once the arrays have grown. 32 wide: 64,000 live slices are then three
/// levels deep, and the entries of a node still scan faster than a narrower tree descends.
///
/// **Balance.** A full node splits in half. A node that lost an entry joins a neighbour under the
/// same parent as soon as both fit in three quarters of a node. Neighbours therefore hold more than
/// three quarters of a node between them, unless a join of their parents has only just made them
/// neighbours; so the height stays logarithmic, and a split is not undone by the next few removals.
/// Every operation descends once or twice and climbs back along the remembered path: O(log n) in
/// the worst case.
///
/// Taking the front of an extent changes its address and length in place; giving bytes back grows a
/// neighbour where there is one. Most operations therefore change no node but only the maxima above
/// it.
final class ExtentIndex {
  static final long NONE = -1;

  private static final long UNKNOWN = Long.MAX_VALUE;

  private static final int WIDTH = 32;
  private static final int MAX_HEIGHT = 16;

  private long[] address = new long[WIDTH];
  private long[] length = new long[WIDTH];
  private int[] child = new int[WIDTH];
  private int[] count = new int[1];
  private int nodes = 1;
  private int freeNode = -1;
  private int root;
  private int height;
  private int size;

  /// The last descent: at each level the node, and the entry taken in it.
  private final int[] pathNode = new int[MAX_HEIGHT];

  private final int[] pathSlot = new int[MAX_HEIGHT];

  boolean isEmpty() {
    return size == 0;
  }

  /// The number of extents.
  int size() {
    return size;
  }

  /// The lowest address; the index must not be empty.
  long first() {
    int node = root;
    for (int level = height; level > 0; level--) node = child[node * WIDTH];
    return address[node * WIDTH];
  }

  /// The largest length, or [#NONE] when the index is empty.
  long largest() {
    return size == 0 ? NONE : largestIn(root);
  }

  /// Takes the first `bytes` bytes of the first extent that has them, and gives their address;
  /// [#NONE] when none has. `bytes` must be positive.
  long takeFront(long bytes) {
    if (!descendToFirstFit(bytes)) return NONE;
    int at = position(0);
    long taken = address[at];
    if (length[at] == bytes) {
      removeEntry(0);
      size--;
    } else {
      address[at] += bytes;
      length[at] -= bytes;
      refreshAbove(0, length[at] + bytes, length[at]);
    }
    return taken;
  }

  /// Takes the whole of the first extent with at least `bytes` bytes, and gives its tag; -1 when
  /// there is none.
  int takeTagged(long bytes) {
    if (!descendToFirstFit(bytes)) return -1;
    int tag = child[position(0)];
    removeEntry(0);
    size--;
    return tag;
  }

  /// Adds an extent that touches no other.
  void put(long from, long bytes) {
    put(from, bytes, 0);
  }

  /// Adds an extent of its own, whatever it touches, with a number to be given back with it.
  void put(long from, long bytes, int tag) {
    descendTo(from);
    insertEntry(0, pathSlot[0] + 1, from, bytes, tag);
    size++;
  }

  /// Adds free bytes, joined to the extent that ends where they begin if `joinBefore`, and to the
  /// one that begins where they end if `joinAfter`.
  void give(long from, long bytes, boolean joinBefore, boolean joinAfter) {
    descendTo(from);
    int before = pathSlot[0] < 0 ? -1 : position(0);
    boolean grows = joinBefore && before >= 0 && address[before] + length[before] == from;
    boolean reaches = joinAfter && successorBegins(from + bytes);
    if (grows && reaches) {
      long after = takeSuccessor(from);
      growEntry(bytes + after);
    } else if (grows) {
      growEntry(bytes);
    } else if (reaches) {
      advance();
      address[position(0)] = from;
      growEntry(bytes);
    } else {
      insertEntry(0, pathSlot[0] + 1, from, bytes, 0);
      size++;
    }
  }

  void clear() {
    nodes = 1;
    freeNode = -1;
    root = 0;
    height = 0;
    size = 0;
    count[0] = 0;
  }

  // Descending. A path leads to the entry at level 0; its slot there is -1 when the address sought
  // lies before
  // every extent.

  private boolean descendToFirstFit(long bytes) {
    int node = root;
    for (int level = height; ; level--) {
      int base = node * WIDTH;
      int end = base + count[node];
      int at = base;
      while (at < end && length[at] < bytes) at++;
      if (at == end) return false;
      pathNode[level] = node;
      pathSlot[level] = at - base;
      if (level == 0) return true;
      node = child[at];
    }
  }

  /// To the last entry at or before this address.
  private void descendTo(long from) {
    int node = root;
    for (int level = height; ; level--) {
      int base = node * WIDTH;
      int end = base + count[node];
      int at = base;
      while (at < end && address[at] <= from) at++;
      int slot = at - base - 1;
      if (level > 0 && slot < 0) slot = 0;
      pathNode[level] = node;
      pathSlot[level] = slot;
      if (level == 0) return;
      node = child[base + slot];
    }
  }

  private int position(int level) {
    return pathNode[level] * WIDTH + pathSlot[level];
  }

  /// Whether the entry after the path's begins at this address.
  private boolean successorBegins(long from) {
    for (int level = 0; level <= height; level++) {
      int node = pathNode[level];
      int next = pathSlot[level] + 1;
      // An inner entry carries the lowest address of its child, so there is no need to descend.
      if (next < count[node]) return address[node * WIDTH + next] == from;
    }
    return false;
  }

  /// Moves the path to the entry after it, which must exist.
  private void advance() {
    int level = 0;
    while (pathSlot[level] + 1 >= count[pathNode[level]]) level++;
    pathSlot[level]++;
    for (; level > 0; level--) {
      pathNode[level - 1] = child[position(level)];
      pathSlot[level - 1] = 0;
    }
  }

  /// Removes the entry after the last one at or before `from`, gives its length, and leaves the
  /// path at that last one.
  private long takeSuccessor(long from) {
    advance();
    long taken = length[position(0)];
    removeEntry(0);
    size--;
    descendTo(from);
    return taken;
  }

  // Changing nodes, and what the entries above say of them.

  private long largestIn(int node) {
    int base = node * WIDTH;
    long largest = NONE;
    for (int at = base, end = base + count[node]; at < end; at++)
      largest = Math.max(largest, length[at]);
    return largest;
  }

  /// Carries a change of one entry in the node at `level` to the entries above it, as far as they
  /// change.
  ///
  /// @param before the entry's largest length so far, [#NONE] for a new entry, [#UNKNOWN] to look
  ///   at the whole node
  /// @param after its largest length now, [#NONE] when it is gone
  private void refreshAbove(int level, long before, long after) {
    for (; level < height; level++) {
      int node = pathNode[level];
      int above = position(level + 1);
      long was = length[above];
      long lowest = address[node * WIDTH];
      long largest = after >= was ? after : before < was ? was : largestIn(node);
      if (largest == was && address[above] == lowest) return;
      address[above] = lowest;
      length[above] = largest;
      before = was;
      after = largest;
    }
  }

  private void describe(int above, int node) {
    address[above] = address[node * WIDTH];
    length[above] = largestIn(node);
    child[above] = node;
  }

  private void growEntry(long bytes) {
    int at = position(0);
    length[at] += bytes;
    refreshAbove(0, length[at] - bytes, length[at]);
  }

  private void insertEntry(int level, int slot, long from, long bytes, int node) {
    int target = pathNode[level];
    if (count[target] < WIDTH) {
      placeEntry(target, slot, from, bytes, node);
      pathSlot[level] = slot;
      if (level == 0) refreshAbove(0, NONE, bytes);
      else refreshAbove(level, UNKNOWN, NONE);
      return;
    }
    int right = splitRightHalf(target);
    int half = count[target];
    if (slot <= half) placeEntry(target, slot, from, bytes, node);
    else placeEntry(right, slot - half, from, bytes, node);
    if (level == height) growRoot(target);
    describe(position(level + 1), target);
    insertEntry(
        level + 1, pathSlot[level + 1] + 1, address[right * WIDTH], largestIn(right), right);
  }

  private void growRoot(int only) {
    root = newNode();
    count[root] = 1;
    height++;
    pathNode[height] = root;
    pathSlot[height] = 0;
    describe(root * WIDTH, only);
  }

  private void placeEntry(int node, int slot, long from, long bytes, int below) {
    int at = node * WIDTH + slot;
    int moved = count[node] - slot;
    System.arraycopy(address, at, address, at + 1, moved);
    System.arraycopy(length, at, length, at + 1, moved);
    System.arraycopy(child, at, child, at + 1, moved);
    address[at] = from;
    length[at] = bytes;
    child[at] = below;
    count[node]++;
  }

  private int splitRightHalf(int node) {
    int right = newNode();
    int keep = WIDTH / 2;
    moveEntries(node * WIDTH + keep, right, 0, WIDTH - keep);
    count[node] = keep;
    count[right] = WIDTH - keep;
    return right;
  }

  private void moveEntries(int from, int toNode, int toSlot, int entries) {
    int to = toNode * WIDTH + toSlot;
    System.arraycopy(address, from, address, to, entries);
    System.arraycopy(length, from, length, to, entries);
    System.arraycopy(child, from, child, to, entries);
  }

  private void removeEntry(int level) {
    int node = pathNode[level];
    int at = position(level);
    long before = level == 0 ? length[at] : UNKNOWN;
    int moved = count[node] - pathSlot[level] - 1;
    System.arraycopy(address, at + 1, address, at, moved);
    System.arraycopy(length, at + 1, length, at, moved);
    System.arraycopy(child, at + 1, child, at, moved);
    count[node]--;
    if (level == height) {
      shrinkRoot();
    } else if (count[node] == 0) {
      freeNode(node);
      removeEntry(level + 1);
    } else if (!joinNeighbour(level)) {
      refreshAbove(level, before, NONE);
    }
  }

  private void shrinkRoot() {
    while (height > 0 && count[root] == 1) {
      int only = child[root * WIDTH];
      freeNode(root);
      root = only;
      height--;
    }
  }

  /// Joins a node with a neighbour under the same parent, if both fit comfortably in one.
  private boolean joinNeighbour(int level) {
    int parent = pathNode[level + 1];
    int slot = pathSlot[level + 1];
    return joinPair(level, parent, slot) || joinPair(level, parent, slot - 1);
  }

  private boolean joinPair(int level, int parent, int leftSlot) {
    if (leftSlot < 0 || leftSlot + 1 >= count[parent]) return false;
    int left = child[parent * WIDTH + leftSlot];
    int right = child[parent * WIDTH + leftSlot + 1];
    if (count[left] + count[right] > WIDTH * 3 / 4) return false;
    moveEntries(right * WIDTH, left, count[left], count[right]);
    count[left] += count[right];
    freeNode(right);
    describe(parent * WIDTH + leftSlot, left);
    pathSlot[level + 1] = leftSlot + 1;
    removeEntry(level + 1);
    return true;
  }

  private int newNode() {
    if (freeNode >= 0) {
      int node = freeNode;
      freeNode = child[node * WIDTH];
      return node;
    }
    if (nodes == count.length) {
      int more = count.length * 2;
      count = Arrays.copyOf(count, more);
      address = Arrays.copyOf(address, Math.multiplyExact(more, WIDTH));
      length = Arrays.copyOf(length, more * WIDTH);
      child = Arrays.copyOf(child, more * WIDTH);
    }
    return nodes++;
  }

  private void freeNode(int node) {
    count[node] = 0;
    child[node * WIDTH] = freeNode;
    freeNode = node;
  }

  /// Receives extents in address order.
  interface Visitor {
    void extent(long address, long length);
  }

  void forEach(Visitor visitor) {
    visit(root, height, visitor);
  }

  private void visit(int node, int level, Visitor visitor) {
    for (int at = node * WIDTH, end = at + count[node]; at < end; at++) {
      if (level == 0) visitor.extent(address[at], length[at]);
      else visit(child[at], level - 1, visitor);
    }
  }

  /// Checks order, maxima and balance of the whole tree, for tests and assertions.
  boolean isConsistent() {
    int[] leafEntries = {0};
    long[] last = {Long.MIN_VALUE};
    boolean ordered = consistent(root, height, leafEntries, last);
    return ordered && leafEntries[0] == size && (height == 0 || count[root] > 1);
  }

  private boolean consistent(int node, int level, int[] leafEntries, long[] last) {
    if (level < height && count[node] == 0) return false;
    for (int at = node * WIDTH, end = at + count[node]; at < end; at++) {
      if (level == 0) {
        if (address[at] <= last[0]) return false;
        last[0] = address[at];
        leafEntries[0]++;
      } else {
        int below = child[at];
        if (address[at] != address[below * WIDTH] || length[at] != largestIn(below)) return false;
        if (!consistent(below, level - 1, leafEntries, last)) return false;
      }
    }
    return true;
  }
}
