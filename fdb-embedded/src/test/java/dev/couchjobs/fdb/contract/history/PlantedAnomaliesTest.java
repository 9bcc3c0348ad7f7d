package dev.couchjobs.fdb.contract.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.contract.history.ObservedTransaction.Claim;
import dev.couchjobs.fdb.contract.history.ObservedTransaction.Outcome;
import dev.couchjobs.fdb.contract.history.RecordedCall.Add;
import dev.couchjobs.fdb.contract.history.RecordedCall.Enqueue;
import dev.couchjobs.fdb.contract.history.RecordedCall.Get;
import dev.couchjobs.fdb.contract.history.RecordedCall.Peek;
import dev.couchjobs.fdb.contract.history.RecordedCall.Put;
import dev.couchjobs.fdb.contract.history.RecordedCall.Scan;
import dev.couchjobs.fdb.contract.history.RecordedCall.Take;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each checker sees each anomaly in a history made by hand, and has nothing against its sound twin. */
class PlantedAnomaliesTest {

    private static final long NONE = -1;

    /** Two histories that differ in one result, outcome or time. */
    private record Planted(String anomaly, List<ObservedTransaction> history, List<ObservedTransaction> twin) {
        @Override
        public String toString() {
            return anomaly;
        }
    }

    static Stream<Planted> planted() {
        return Stream.of(updates(), visibility(), clock(), unknown(), queues()).flatMap(List::stream);
    }

    private static List<Planted> updates() {
        ObservedTransaction first = committed(1, 4, 0, 10, get("x", null), put("x", "1"));
        ObservedTransaction skewed = committed(1, 4, 0, 10, get("x", null), put("y", "1"));
        ObservedTransaction onlyRow = committed(1, 4, 0, 10, scan(), put("x", "1"));
        ObservedTransaction addition = committed(1, 3, NONE, 10, new Add("x", 1));
        ObservedTransaction another = committed(2, 4, NONE, 20, new Add("x", 1));
        return List.of(
                new Planted(
                        "a lost update",
                        List.of(first, committed(2, 5, 0, 20, get("x", null), put("x", "2"))),
                        List.of(first, failed(2, 5, 0, get("x", null), put("x", "2")))),
                new Planted(
                        "write skew",
                        List.of(skewed, committed(2, 5, 0, 20, get("y", null), put("x", "2"))),
                        List.of(skewed, committed(2, 5, 10, 20, get("y", "1"), put("x", "2")))),
                new Planted(
                        "a phantom",
                        List.of(onlyRow, committed(2, 5, 0, 20, scan(), put("y", "2"))),
                        List.of(onlyRow, committed(2, 5, 10, 20, scan("x=1"), put("y", "2")))),
                new Planted(
                        "a lost addition",
                        List.of(addition, another, reader(5, 6, 20, get("x", "1"))),
                        List.of(addition, another, reader(5, 6, 20, get("x", "2")))));
    }

    private static List<Planted> visibility() {
        ObservedTransaction both = committed(1, 4, NONE, 10, put("x", "1"), put("y", "1"));
        ObservedTransaction write = committed(2, 3, NONE, 10, put("x", "1"));
        return List.of(
                new Planted(
                        "a dirty read",
                        List.of(failed(1, 4, NONE, put("x", "1")), reader(2, 5, 10, get("x", "1"))),
                        List.of(committed(1, 4, NONE, 10, put("x", "1")), reader(2, 5, 10, get("x", "1")))),
                new Planted(
                        "a fractured read",
                        List.of(both, reader(2, 5, 10, get("x", "1"), get("y", null))),
                        List.of(both, reader(2, 5, 10, get("x", "1"), get("y", "1")))),
                new Planted(
                        "a fractured read of a transaction that failed",
                        List.of(write, failed(1, 4, 10, get("x", null), get("x", "1"))),
                        List.of(write, failed(1, 4, 0, get("x", null), get("x", null)))),
                new Planted(
                        "an aborted write that is visible",
                        List.of(failed(1, 2, NONE, put("x", "1")), reader(3, 4, 10, get("x", "1"))),
                        List.of(failed(1, 2, NONE, put("x", "1")), reader(3, 4, 10, get("x", null)))));
    }

    private static List<Planted> clock() {
        ObservedTransaction write = committed(1, 3, NONE, 10, put("x", "1"));
        ObservedTransaction slow = committed(1, 8, NONE, 10, put("x", "1"));
        ObservedTransaction seen = reader(2, 3, 10, get("x", "1"));
        return List.of(
                new Planted(
                        "a stale read",
                        List.of(write, reader(4, 5, 0, get("x", null))),
                        List.of(write, reader(2, 5, 0, get("x", null)))),
                new Planted(
                        "a reader behind another one",
                        List.of(slow, seen, reader(4, 5, 0, get("x", null))),
                        List.of(slow, seen, reader(4, 5, 10, get("x", "1")))));
    }

    private static List<Planted> unknown() {
        ObservedTransaction done = unknown(1, 2, 10, put("x", "1"));
        ObservedTransaction notDone = unknown(1, 2, NONE, put("x", "1"));
        return List.of(
                new Planted(
                        "an unknown commit that is undone",
                        List.of(done, reader(3, 4, 10, get("x", "1")), reader(5, 6, 10, get("x", null))),
                        List.of(done, reader(3, 4, 10, get("x", "1")), reader(5, 6, 10, get("x", "1")))),
                new Planted(
                        "an unknown commit that happens after its end",
                        List.of(done, reader(3, 4, 0, get("x", null)), reader(5, 6, 10, get("x", "1"))),
                        List.of(notDone, reader(3, 4, 0, get("x", null)), reader(5, 6, 10, get("x", null)))));
    }

    private static List<Planted> queues() {
        ObservedTransaction item = committed(1, 2, NONE, 10, new Enqueue("i"));
        ObservedTransaction other = committed(3, 4, NONE, 20, new Enqueue("j"));
        ObservedTransaction taken = committed(3, 6, 10, 20, peek("i"), new Take("i"));
        return List.of(
                new Planted(
                        "an item that is taken twice",
                        List.of(item, taken, committed(4, 7, 10, 30, peek("i"), new Take("i"))),
                        List.of(item, taken, failed(4, 7, 10, peek("i"), new Take("i")))),
                new Planted(
                        "an item that is lost",
                        List.of(item, reader(3, 4, 10, peek())),
                        List.of(item, reader(3, 4, 10, peek("i")))),
                new Planted(
                        "items in the wrong order",
                        List.of(item, other, reader(5, 6, 20, peek("j", "i"))),
                        List.of(item, other, reader(5, 6, 20, peek("i", "j")))));
    }

    @ParameterizedTest
    @MethodSource("planted")
    void theSearchFindsNoOrder(Planted planted) {
        assertThat(OrderSearch.violation(planted.history)).isPresent();
        assertThat(OrderSearch.violation(planted.twin)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("planted")
    void theSearchNeedsNoVersions(Planted planted) {
        assertThat(OrderSearch.violation(withoutClaims(planted.history))).isPresent();
        assertThat(OrderSearch.violation(withoutClaims(planted.twin))).isEmpty();
    }

    private static List<ObservedTransaction> withoutClaims(List<ObservedTransaction> history) {
        return history.stream()
                .map(each -> transaction(each.invoked(), each.completed(), each.outcome(), NONE, NONE, each.calls()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("planted")
    void theClaimedOrderIsRefuted(Planted planted) {
        assertThat(ClaimedOrder.violations(planted.history)).isNotEmpty();
        assertThat(ClaimedOrder.violations(planted.twin)).isEmpty();
    }

    /** None overlaps another one of its thread, so each has a thread of its own. */
    private static ObservedTransaction transaction(
            long from, long to, Outcome outcome, long readVersion, long version, List<RecordedCall> calls) {
        Versionstamp stamp = version == NONE
                ? null
                : Versionstamp.complete(ByteBuffer.allocate(10).putLong(version).array());
        return new ObservedTransaction((int) from, from, to, calls, outcome, new Claim(readVersion, stamp));
    }

    private static ObservedTransaction committed(
            long from, long to, long readVersion, long version, RecordedCall... calls) {
        return transaction(from, to, Outcome.COMMITTED, readVersion, version, List.of(calls));
    }

    private static ObservedTransaction reader(long from, long to, long readVersion, RecordedCall... calls) {
        return transaction(from, to, Outcome.COMMITTED, readVersion, NONE, List.of(calls));
    }

    private static ObservedTransaction failed(long from, long to, long readVersion, RecordedCall... calls) {
        return transaction(from, to, Outcome.FAILED, readVersion, NONE, List.of(calls));
    }

    /** {@code version} tells what nobody was told: whether it has committed. */
    private static ObservedTransaction unknown(long from, long to, long version, RecordedCall... calls) {
        return transaction(from, to, Outcome.UNKNOWN, NONE, version, List.of(calls));
    }

    private static RecordedCall get(String key, @Nullable String value) {
        return new Get(key, value);
    }

    private static RecordedCall put(String key, String value) {
        return new Put(key, value);
    }

    private static RecordedCall scan(String... rows) {
        return new Scan("a", "z", 0, false, List.of(rows));
    }

    private static RecordedCall peek(String... items) {
        return new Peek(0, List.of(items));
    }
}
