package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.commit.Engine;
import dev.couchjobs.fdb.internal.keys.Limits;
import org.jspecify.annotations.Nullable;

/** The options of a database: mostly what its transactions start with. Thread-safe. */
final class DatabaseSettings {
    private final Engine engine;
    private final TransactionSettings defaults = new TransactionSettings();

    DatabaseSettings(Engine engine) {
        this.engine = engine;
    }

    synchronized TransactionSettings defaults() {
        return defaults.copy();
    }

    synchronized void set(int code, byte @Nullable [] value) {
        DatabaseOption option = DatabaseOption.of(code);
        TransactionOption transactionDefault = option.transactionDefault();
        if (transactionDefault != null) {
            defaults.apply(transactionDefault, value);
        } else if (option == DatabaseOption.MAX_WATCHES) {
            engine.watches().limitTo(OptionValue.integer(value, 0, Limits.MAX_WATCHES));
        }
    }
}
