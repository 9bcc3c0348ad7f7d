package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.contract.EngineFutures;
import dev.couchjobs.fdb.contract.PrefixKeys;
import dev.couchjobs.fdb.testing.TestEngine;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeProperty;
import net.jqwik.api.lifecycle.BeforeTry;

/** What all properties share: one database per property, a fresh prefix per try. */
@SuppressWarnings("NullAway.Init") // The lifecycle methods set the fields.
abstract class PropertyContract {

    private Database database;
    private PrefixKeys keys;

    /** {@return the engine that the properties are of} */
    abstract TestEngine engine();

    @BeforeProperty
    void openDatabase() {
        database = engine().open();
    }

    @BeforeTry
    void chooseKeyspace() {
        keys = new PrefixKeys();
    }

    @AfterTry
    void clearKeyspace() {
        keys.clear(database);
    }

    @AfterProperty
    void closeDatabase() {
        database.close();
    }

    @Provide
    Arbitrary<Map<Integer, String>> rows() {
        return RandomCalls.rows();
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
