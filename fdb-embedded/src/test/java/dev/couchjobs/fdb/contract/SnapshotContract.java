package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import org.junit.jupiter.api.Test;

/** The snapshot view: the same values, without the conflicts. */
class SnapshotContract extends FdbContract {

    @Test
    void theViewKnowsWhatItIs() {
        Transaction tr = begin();
        assertThat(tr.isSnapshot()).isFalse();
        assertThat(tr.snapshot().isSnapshot()).isTrue();
        assertThat(tr.snapshot().snapshot().isSnapshot()).isTrue();
    }

    @Test
    void snapshotReadsSeeTheSameVersionAsOthers() {
        given("a", "old");
        Transaction tr = beginNow();
        given("a", "new");
        assertThat(get(tr.snapshot(), "a")).isEqualTo("old");
        assertThat(get(tr, "a")).isEqualTo("old");
    }

    @Test
    void snapshotReadsSeeOwnWrites() {
        given("a", "1", "b", "2");
        commit(tr -> {
            set(tr, "a", "own");
            tr.clear(key("b"));
            assertThat(get(tr.snapshot(), "a")).isEqualTo("own");
            assertThat(rows(tr.snapshot().getRange(prefixKeys().all()))).containsExactly("a=own");
        });
    }

    @Test
    void snapshotReadsMissOwnWritesWhenToldTo() {
        given("a", "1", "b", "2");
        commit(tr -> {
            tr.options().setSnapshotRywDisable();
            set(tr, "a", "own");
            tr.clear(key("b"));
            assertThat(get(tr.snapshot(), "a")).isEqualTo("1");
            assertThat(rows(tr.snapshot().getRange(prefixKeys().all()))).containsExactly("a=1", "b=2");
            assertThat(getKey(tr.snapshot(), from("a\0"))).isEqualTo("b");
            assertThat(rows(tr.getRange(prefixKeys().all()))).containsExactly("a=own");
        });
    }

    @Test
    void disablingAndEnablingCancelOut() {
        commit(tr -> {
            tr.options().setSnapshotRywDisable();
            tr.options().setSnapshotRywDisable();
            tr.options().setSnapshotRywEnable();
            set(tr, "a", "own");
            assertThat(get(tr.snapshot(), "a")).isNull();
            tr.options().setSnapshotRywEnable();
            assertThat(get(tr.snapshot(), "a")).isEqualTo("own");
        });
    }

    @Test
    void aSnapshotReadDoesNotConflict() {
        given("a", "1");
        Transaction tr = beginNow();
        get(tr.snapshot(), "a");
        rows(tr.snapshot().getRange(prefixKeys().all()));
        getKey(tr.snapshot(), from("b"));
        set(tr, "mark", "");
        given("a", "2", "c", "3");

        assertThatCode(() -> await(tr.commit())).doesNotThrowAnyException();
    }

    @Test
    void aConflictDeclaredThroughASnapshotIsIgnored() {
        Transaction tr = begin();
        ReadTransaction snapshot = tr.snapshot();
        assertThat(snapshot.addReadConflictKeyIfNotSnapshot(key("a"))).isFalse();
        assertThat(snapshot.addReadConflictRangeIfNotSnapshot(key("a"), key("b")))
                .isFalse();
        assertThat(tr.addReadConflictKeyIfNotSnapshot(key("a"))).isTrue();
        assertThat(tr.addReadConflictRangeIfNotSnapshot(key("a"), key("b"))).isTrue();
    }

    @Test
    void aSnapshotRunsReadsDirectly() {
        given("a", "1");
        ReadTransaction snapshot = begin().snapshot();
        String value = snapshot.read(tr -> get(tr, "a"));
        assertThat(value).isEqualTo("1");
        byte[] later = await(snapshot.readAsync(tr -> tr.get(key("a"))));
        assertThat(later).isEqualTo(bytes("1"));
    }
}
