package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.contract.EngineFutures;
import dev.couchjobs.fdb.contract.PrefixKeys;
import dev.couchjobs.fdb.testing.Samples;
import dev.couchjobs.fdb.testing.TestEngine;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What all properties share: one database per property, a fresh prefix per try. */
abstract class PropertyContract {

    private Database database;
    private PrefixKeys keys = new PrefixKeys();

    /** {@return the engine that the properties are of} */
    abstract TestEngine engine();

    @BeforeEach
    void openDatabase() {
        database = engine().open();
    }

    @AfterEach
    void closeDatabase() {
        database.close();
    }

    final void check(int tries, Consumer<Samples> property) {
        Samples.check(tries, samples -> {
            keys = new PrefixKeys();
            try {
                property.accept(samples);
            } finally {
                keys.clear(database);
            }
        });
    }

    final Database database() {
        return database;
    }

    final PrefixKeys keys() {
        return keys;
    }

    final void fill(Map<Integer, String> rows) {
        commit(tr -> {
            tr.clear(keys.all());
            rows.forEach((key, value) -> tr.set(keys.key(Alphabet.name(key)), PrefixKeys.bytes(value)));
        });
    }

    final void commit(Consumer<Transaction> body) {
        database.run(tr -> {
            body.accept(tr);
            return true;
        });
    }

    final List<String> committed() {
        return database.read(
                tr -> keys.rows(EngineFutures.await(tr.getRange(keys.all()).asList())));
    }
}
