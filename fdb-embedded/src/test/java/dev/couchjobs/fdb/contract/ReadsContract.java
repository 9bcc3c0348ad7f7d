package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Point reads and the read version that they are made at. */
class ReadsContract extends FdbContract {

    @Test
    void aMissingKeyReadsAsNull() {
        assertThat(committed("missing")).isNull();
    }

    @Test
    void aCommittedValueIsRead() {
        given("a", "1");
        assertThat(committed("a")).isEqualTo("1");
    }

    @Test
    void anEmptyValueIsNotAMissingOne() {
        given("a", "");
        assertThat(committed("a")).isEmpty();
    }

    @Test
    void keysAndValuesAreAnyBytes() {
        given("\0", "\0\1\2", "\u00ff\0", "\u00ff\u00fe");
        assertThat(committed()).containsExactly("\0=\0\1\2", "\u00ff\0=\u00ff\u00fe");
    }

    @Test
    void theValueReadIsTheCallersToChange() {
        given("a", "1");
        commit(tr -> {
            await(tr.get(key("a")))[0] = 'x';
            assertThat(get(tr, "a")).isEqualTo("1");
        });
        assertThat(committed("a")).isEqualTo("1");
    }

    @Test
    void allReadsOfATransactionSeeOneVersion() {
        given("a", "old", "b", "old");
        Transaction tr = beginNow();
        given("a", "new", "b", "new");

        assertThat(get(tr, "a")).isEqualTo("old");
        assertThat(rows(tr.getRange(prefixKeys().all()))).containsExactly("a=old", "b=old");
    }

    @Test
    void aTransactionSeesEveryCommitAcknowledgedBeforeItsReadVersion() {
        for (int i = 0; i < 20; i++) {
            given("a", "" + i);
            assertThat(committed("a")).isEqualTo("" + i);
        }
    }

    @Test
    void theReadVersionIsFixedByTheFirstRead() {
        given("a", "old");
        Transaction tr = begin();
        assertThat(get(tr, "a")).isEqualTo("old");
        given("a", "new");

        assertThat(get(tr, "a")).isEqualTo("old");
    }

    @Test
    void theReadVersionOfATransactionDoesNotChange() {
        Transaction tr = begin();
        assertThat(await(tr.getReadVersion())).isEqualTo(await(tr.getReadVersion()));
        assertThat(await(tr.snapshot().getReadVersion())).isEqualTo(await(tr.getReadVersion()));
    }

    @Test
    void readVersionsNeverGoBack() {
        long last = 0;
        for (int i = 0; i < 20; i++) {
            long version = await(begin().getReadVersion());
            assertThat(version).isGreaterThanOrEqualTo(last);
            last = version;
        }
    }

    @Test
    void aReadVersionCanBeSetToThatOfAnotherTransaction() {
        given("a", "old");
        long version = await(begin().getReadVersion());
        given("a", "new");
        Transaction tr = begin();
        tr.setReadVersion(version);

        assertThat(get(tr, "a")).isEqualTo("old");
        assertThat(await(tr.getReadVersion())).isEqualTo(version);
    }

    @Test
    void aCommittedVersionIsTheFirstThatShowsItsWrites() {
        given("a", "old");
        Transaction writer = begin();
        set(writer, "a", "new");
        await(writer.commit());
        long version = writer.getCommittedVersion();

        assertThat(readAt(version)).isEqualTo("new");
        assertThat(readAt(version - 1)).isEqualTo("old");
    }

    private String readAt(long version) {
        Transaction tr = begin();
        tr.setReadVersion(version);
        return text(await(tr.get(key("a"))));
    }

    @Test
    void manyReadsMayBeInFlightAtOnce() {
        commit(tr -> {
            for (int i = 0; i < 200; i++) {
                set(tr, "k" + i, "v" + i);
            }
        });
        List<CompletableFuture<byte[]>> reads = new ArrayList<>();
        Transaction tr = begin();
        for (int i = 0; i < 200; i++) {
            reads.add(tr.get(key("k" + i)));
        }

        assertThat(reads)
                .extracting(read -> text(await(read)))
                .startsWith("v0", "v1")
                .endsWith("v199");
    }
}
