package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.contract.Engine;
import dev.couchjobs.fdb.contract.Futures;
import dev.couchjobs.fdb.contract.Keyspace;
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
public abstract class PropertyContract implements Engine {

    private Database database;
    private Keyspace keys;

    @BeforeProperty
    void openDatabase() {
        database = open();
    }

    @BeforeTry
    void chooseKeyspace() {
        keys = new Keyspace();
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
        return Operations.rows();
    }

    final Database database() {
        return database;
    }

    final Keyspace keys() {
        return keys;
    }

    final void fill(Map<Integer, String> rows) {
        commit(tr -> {
            tr.clear(keys.all());
            rows.forEach((key, value) -> tr.set(keys.key(Alphabet.name(key)), Keyspace.bytes(value)));
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
                tr -> keys.rows(Futures.await(tr.getRange(keys.all()).asList())));
    }
}
