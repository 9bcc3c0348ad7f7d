package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.DatabaseOptions;
import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionOptions;
import com.apple.foundationdb.tuple.Tuple;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What makes sense on a cluster only is refused at once, in a sentence that names what to use instead. */
@SuppressWarnings("FutureReturnValueIgnored") // No call gets as far as returning one.
class RefusalsTest {
    private static final byte[] A = key("a");
    private static final byte[] B = key("b");
    private static final KeySelector FROM_A = KeySelector.firstGreaterOrEqual(A);

    private Database database;
    private Transaction tr;

    @BeforeEach
    void open() {
        database = EmbeddedDatabase.openInMemory();
        tr = database.createTransaction();
    }

    @AfterEach
    void close() {
        tr.close();
        database.close();
    }

    private interface Call {
        Object on(Database database, Transaction tr, Executor executor);
    }

    private record Refusal(String what, String instead, Call call) {
        @Override
        public String toString() {
            return what;
        }
    }

    private static Refusal refusal(String what, String instead, Call call) {
        return new Refusal(what, instead, call);
    }

    static Stream<Refusal> features() {
        return Stream.of(
                refusal("Tenants are", "Subspace", (db, tr, executor) -> db.openTenant(A)),
                refusal("Tenants are", "Subspace", (db, tr, executor) -> db.openTenant(Tuple.from("a"))),
                refusal("Tenants are", "Subspace", (db, tr, executor) -> db.openTenant(A, executor)),
                refusal("Blob granules", "getRange", (db, tr, executor) -> db.blobbifyRange(A, B, executor)),
                refusal("Blob granules", "getRange", (db, tr, executor) -> db.blobbifyRangeBlocking(A, B, executor)),
                refusal("Blob granules", "getRange", (db, tr, executor) -> db.unblobbifyRange(A, B, executor)),
                refusal("Blob granules", "getRange", (db, tr, executor) -> db.listBlobbifiedRanges(A, B, 1, executor)),
                refusal("Blob granules", "getRange", (db, tr, executor) -> db.verifyBlobRange(A, B, 1, executor)),
                refusal("Blob granules", "getRange", (db, tr, executor) -> db.flushBlobRange(A, B, true, 1, executor)),
                refusal(
                        "Blob granules",
                        "getRange",
                        (db, tr, executor) -> db.purgeBlobGranules(A, B, 1, true, executor)),
                refusal("Blob granules", "getRange", (db, tr, executor) -> db.waitPurgeGranulesComplete(A, executor)),
                refusal("Blob granules", "getRange", (db, tr, executor) -> tr.getBlobGranuleRanges(A, B, 1)),
                refusal(
                        "Mapped ranges",
                        "getRange",
                        (db, tr, executor) -> tr.getMappedRange(FROM_A, FROM_A, A, 0, false, StreamingMode.ITERATOR)),
                refusal(
                        "Mapped ranges",
                        "getRange",
                        (db, tr, executor) ->
                                tr.snapshot().getMappedRange(FROM_A, FROM_A, A, 0, false, StreamingMode.ITERATOR)),
                refusal("The client status", "no connection", (db, tr, executor) -> db.getClientStatus(executor)),
                refusal(
                        "The special key space",
                        "methods of Database",
                        (db, tr, executor) -> tr.get(new byte[] {-1, -1, '/'})));
    }

    @ParameterizedTest
    @MethodSource("features")
    void aFeatureOfClustersIsRefused(Refusal refusal) {
        assertThatThrownBy(() -> refusal.call.on(database, tr, database.getExecutor()))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageStartingWith(refusal.what)
                .hasMessageContaining(refusal.instead)
                .hasMessageMatching("[A-Z][^.;]* not part of the embedded engine; .*\\.");
    }

    private interface Setter {
        void on(DatabaseOptions database, TransactionOptions transaction);
    }

    static Stream<Setter> options() {
        return Stream.of(
                (database, transaction) -> database.setUseConfigDatabase(),
                (database, transaction) -> database.setTransactionReportConflictingKeys(),
                (database, transaction) -> transaction.setReportConflictingKeys(),
                (database, transaction) -> transaction.setSpecialKeySpaceRelaxed(),
                (database, transaction) -> transaction.setSpecialKeySpaceEnableWrites(),
                (database, transaction) -> transaction.setInitializeNewDatabase(),
                (database, transaction) -> transaction.setAuthorizationToken("a"));
    }

    @ParameterizedTest
    @MethodSource("options")
    void anOptionThatOnlyAClusterCouldHonourIsRefused(Setter setter) {
        assertThatThrownBy(() -> setter.on(database.options(), tr.options()))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageMatching("(Database|Transaction) option [A-Z_]+ is not part of the embedded engine: .*\\.");
    }
}
