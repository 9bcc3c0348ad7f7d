package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.directory.DirectoryAlreadyExistsException;
import com.apple.foundationdb.directory.DirectoryLayer;
import com.apple.foundationdb.directory.DirectoryMoveException;
import com.apple.foundationdb.directory.DirectorySubspace;
import com.apple.foundationdb.directory.MismatchedLayerException;
import com.apple.foundationdb.directory.NoSuchDirectoryException;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The layers that come with FoundationDB's Java binding, used as they are. */
class TuplesAndDirectoriesContract extends FdbContract {

    private DirectoryLayer directories;

    @BeforeEach
    void makeDirectories() {
        directories = new DirectoryLayer(new Subspace(key("nodes")), new Subspace(key("contents")));
    }

    @Test
    void tuplesSortByTheirElements() {
        Subspace space = new Subspace(key(""));
        commit(tr -> {
            for (Object element : List.of(300, "text", -1, 2, true, 1.5, new byte[] {0, 1})) {
                tr.set(space.pack(element), bytes(""));
            }
        });
        List<KeyValue> rows =
                database().read(tr -> await(tr.getRange(space.range()).asList()));
        assertThat(rows)
                .extracting(row -> space.unpack(row.getKey()).get(0))
                .containsExactly(new byte[] {0, 1}, "text", -1L, 2L, 300L, 1.5, true);
    }

    @Test
    void aSubspaceRangeHoldsWhatIsUnderItAndNothingElse() {
        Subspace space = new Subspace(key("")).subspace(Tuple.from("jobs"));
        commit(tr -> {
            tr.set(space.pack(Tuple.from("a", 1)), bytes("1"));
            tr.set(space.pack(), bytes("not below"));
            tr.set(new Subspace(key("")).pack("jobs2"), bytes("beside"));
        });
        List<KeyValue> rows =
                database().read(tr -> await(tr.getRange(space.range()).asList()));
        assertThat(rows).hasSize(1);
        assertThat(space.unpack(rows.get(0).getKey()).getItems()).containsExactly("a", 1L);
    }

    @Test
    void aDirectoryIsOpenedWhereItWasCreated() {
        DirectorySubspace created = await(directories.create(database(), List.of("users", "alice")));
        DirectorySubspace opened = await(directories.open(database(), List.of("users", "alice")));
        assertThat(opened.getKey()).isEqualTo(created.getKey());
        assertThat(await(directories.createOrOpen(database(), List.of("users", "alice")))
                        .getKey())
                .isEqualTo(created.getKey());
    }

    @Test
    void directoriesAreListedByName() {
        await(directories.create(database(), List.of("users", "bob")));
        await(directories.create(database(), List.of("users", "alice")));
        assertThat(await(directories.list(database(), List.of("users")))).containsExactly("alice", "bob");
        assertThat(await(directories.exists(database(), List.of("users", "eve"))))
                .isFalse();
    }

    @Test
    void aMovedDirectoryKeepsItsContents() {
        DirectorySubspace before = await(directories.create(database(), List.of("old")));
        commit(tr -> tr.set(before.pack("k"), bytes("v")));
        DirectorySubspace after = await(directories.move(database(), List.of("old"), List.of("new")));

        assertThat(after.getKey()).isEqualTo(before.getKey());
        byte[] value = database().read(tr -> await(tr.get(after.pack("k"))));
        assertThat(value).isEqualTo(bytes("v"));
        assertThat(await(directories.exists(database(), List.of("old")))).isFalse();
    }

    @Test
    void aRemovedDirectoryTakesItsContentsWithIt() {
        DirectorySubspace directory = await(directories.create(database(), List.of("gone")));
        commit(tr -> tr.set(directory.pack("k"), bytes("v")));
        await(directories.remove(database(), List.of("gone")));

        List<KeyValue> rows =
                database().read(tr -> await(tr.getRange(directory.range()).asList()));
        assertThat(rows).isEmpty();
        assertThatThrownBy(() -> await(directories.open(database(), List.of("gone"))))
                .hasRootCauseInstanceOf(NoSuchDirectoryException.class);
    }

    @Test
    void aDirectoryIsCreatedOnce() {
        await(directories.create(database(), List.of("one")));
        assertThatThrownBy(() -> await(directories.create(database(), List.of("one"))))
                .hasRootCauseInstanceOf(DirectoryAlreadyExistsException.class);
    }

    @Test
    void aDirectoryTakesItsChildrenWithIt() {
        DirectorySubspace child = await(directories.create(database(), List.of("old", "child")));
        await(directories.move(database(), List.of("old"), List.of("new")));
        assertThat(await(directories.open(database(), List.of("new", "child"))).getKey())
                .isEqualTo(child.getKey());
        await(directories.remove(database(), List.of("new")));
        assertThat(await(directories.exists(database(), List.of("new", "child"))))
                .isFalse();
    }

    @Test
    void aDirectoryIsOpenedOnlyByItsLayer() {
        byte[] layer = bytes("couch");
        await(directories.create(database(), List.of("one"), layer));
        assertThat(await(directories.open(database(), List.of("one"), layer)).getLayer())
                .isEqualTo(layer);
        assertThatThrownBy(() -> await(directories.open(database(), List.of("one"), bytes("other"))))
                .hasRootCauseInstanceOf(MismatchedLayerException.class);
    }

    @Test
    void aDirectoryIsNotMovedWhereAnotherOneIsOrBelowItself() {
        await(directories.create(database(), List.of("one")));
        await(directories.create(database(), List.of("two")));
        assertThatThrownBy(() -> await(directories.move(database(), List.of("one"), List.of("two"))))
                .hasRootCauseInstanceOf(DirectoryAlreadyExistsException.class);
        assertThatThrownBy(() -> await(directories.move(database(), List.of("one"), List.of("one", "below"))))
                .hasRootCauseInstanceOf(DirectoryMoveException.class);
    }

    @Test
    void directoriesCreatedAtOnceGetPrefixesOfTheirOwn() {
        List<CompletableFuture<DirectorySubspace>> creations = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            creations.add(directories.create(database(), List.of("d" + i)));
        }
        assertThat(creations)
                .extracting(creation -> text(await(creation).getKey()))
                .doesNotHaveDuplicates()
                .hasSize(20);
        assertThat(await(directories.list(database()))).hasSize(20);
    }

    @Test
    void directoriesOfOneTransactionGetPrefixesOfTheirOwn() {
        List<String> prefixes = database().run(tr -> {
            String one = text(await(directories.create(tr, List.of("one"))).getKey());
            String two = text(await(directories.create(tr, List.of("two"))).getKey());
            return List.of(one, two);
        });
        assertThat(prefixes).doesNotHaveDuplicates();
    }
}
