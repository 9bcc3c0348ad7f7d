package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.directory.Directory;
import com.apple.foundationdb.directory.DirectoryLayer;
import com.apple.foundationdb.directory.DirectorySubspace;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The machine's list of directories and subspaces, of which one is the current. */
final class DirectoryList {

    private static final String PARTITION = "partition";

    private final List<@Nullable Object> list = new ArrayList<>();
    private int index;
    private int errorIndex;

    DirectoryList() {
        list.add(root());
    }

    /** A directory layer of the programs' own. */
    static DirectoryLayer root() {
        return new DirectoryLayer(
                new Subspace(ProgramKeys.bytes(ProgramKeys.DIRECTORIES + "nodes/")),
                new Subspace(ProgramKeys.bytes(ProgramKeys.DIRECTORIES + "content/")),
                true);
    }

    void add(@Nullable Object directory) {
        list.add(directory);
    }

    int index() {
        return index;
    }

    void change(int newIndex) {
        index = list.get(newIndex) == null ? errorIndex : newIndex;
    }

    void setErrorIndex(int newErrorIndex) {
        errorIndex = newErrorIndex;
    }

    Directory directory() {
        return (Directory) current();
    }

    Subspace subspace() {
        return (Subspace) current();
    }

    @Nullable Subspace subspaceAt(int at) {
        return (Subspace) list.get(at);
    }

    private Object current() {
        Object current = list.get(index);
        if (current == null) {
            throw new IllegalStateException("There is no directory at " + index);
        }
        return current;
    }

    /** All directories with their contents, by path: where the allocator has put them is its own business. */
    static List<String> describe(ReadTransaction tr) {
        List<String> lines = new ArrayList<>();
        describe(tr, root(), List.of(), lines);
        return lines;
    }

    private static void describe(ReadTransaction tr, Directory parent, List<String> path, List<String> lines) {
        for (String name : parent.list(tr, path).join()) {
            List<String> childPath = new ArrayList<>(path);
            childPath.add(name);
            DirectorySubspace child = parent.open(tr, childPath).join();
            String layer = ByteArrayUtil.printable(child.getLayer());
            lines.add("directory " + childPath + " layer '" + layer + "'");
            if (!layer.equals(PARTITION)) {
                byte[] prefix = child.getKey();
                for (KeyValue row : tr.getRange(child.range()).asList().join()) {
                    byte[] key = row.getKey();
                    lines.add("directory " + childPath + " row '"
                            + ByteArrayUtil.printable(key)
                                    .substring(ByteArrayUtil.printable(prefix).length()) + "' = '"
                            + ByteArrayUtil.printable(row.getValue()) + "'");
                }
            }
            describe(tr, parent, childPath, lines);
        }
    }
}
