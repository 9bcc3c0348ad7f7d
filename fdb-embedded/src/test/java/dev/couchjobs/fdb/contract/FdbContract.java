package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncIterable;
import dev.couchjobs.fdb.testing.TestEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What all topics share: one database per topic, a fresh prefix per test, and short words for what tests do all the
 * time. Keys and values are given as strings of one-byte characters; keys are relative to the prefix.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass(name = "{0}")
@MethodSource("dev.couchjobs.fdb.testing.TestEngine#selected")
abstract class FdbContract {

    /** {@code not_committed}: a conflict. */
    static final int CONFLICT = 1020;

    @Parameter
    TestEngine engine;

    private Database database;
    private PrefixKeys prefixKeys;
    private final List<Transaction> begun = new ArrayList<>();

    @BeforeParameterizedClassInvocation
    void openDatabase() {
        database = engine.open();
    }

    @BeforeEach
    void chooseKeyspace() {
        prefixKeys = new PrefixKeys();
    }

    @AfterEach
    void clearKeyspace() {
        begun.forEach(Transaction::close);
        begun.clear();
        prefixKeys.clear(database);
    }

    @AfterParameterizedClassInvocation
    void closeDatabase() {
        database.close();
    }

    final Database database() {
        return database;
    }

    final PrefixKeys prefixKeys() {
        return prefixKeys;
    }

    final byte[] key(String name) {
        return prefixKeys.key(name);
    }

    final Range range(String begin, String end) {
        return new Range(key(begin), key(end));
    }

    final KeySelector from(String name) {
        return KeySelector.firstGreaterOrEqual(key(name));
    }

    /** A transaction that is closed after the test, whatever becomes of it. */
    final Transaction begin() {
        return begin(database);
    }

    final Transaction begin(Database database) {
        Transaction tr = database.createTransaction();
        begun.add(tr);
        return tr;
    }

    /** A transaction whose read version is fixed now. */
    final Transaction beginNow() {
        Transaction tr = begin();
        await(tr.getReadVersion());
        return tr;
    }

    /** Runs and commits, again if FoundationDB asks for it. */
    final void commit(Consumer<Transaction> body) {
        database.run(tr -> {
            body.accept(tr);
            return true;
        });
    }

    /** Commits rows given as {@code name, value, name, value}. */
    final void given(String... namesAndValues) {
        commit(tr -> {
            for (int i = 0; i < namesAndValues.length; i += 2) {
                set(tr, namesAndValues[i], namesAndValues[i + 1]);
            }
        });
    }

    final void set(Transaction tr, String name, String value) {
        tr.set(key(name), bytes(value));
    }

    final @Nullable String get(ReadTransaction tr, String name) {
        byte[] value = await(tr.get(key(name)));
        return value == null ? null : text(value);
    }

    final String getKey(ReadTransaction tr, KeySelector selector) {
        return prefixKeys.name(await(tr.getKey(selector)));
    }

    /** Rows as {@code name=value}. */
    final List<String> rows(AsyncIterable<KeyValue> range) {
        return prefixKeys.rows(await(range.asList()));
    }

    /** The committed value, or null. */
    final @Nullable String committed(String name) {
        return database.read(tr -> get(tr, name));
    }

    /** Everything committed under the prefix. */
    final List<String> committed() {
        return database.read(tr -> rows(tr.getRange(prefixKeys.all())));
    }

    static byte[] bytes(String text) {
        return PrefixKeys.bytes(text);
    }

    static String text(byte[] bytes) {
        return PrefixKeys.text(bytes);
    }

    static <T> T await(CompletableFuture<T> future) {
        return EngineFutures.await(future);
    }

    static void assertFailsWith(int code, CompletableFuture<?> future) {
        assertThat(EngineFutures.codeOf(future)).isEqualTo(code);
    }
}
