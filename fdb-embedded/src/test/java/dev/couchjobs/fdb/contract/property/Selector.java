package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.KeySelector;
import dev.couchjobs.fdb.contract.Keyspace;

/** A key selector over the alphabet. */
record Selector(int base, boolean orEqual, int offset) {

    KeySelector in(Keyspace keys) {
        return new KeySelector(keys.key(Alphabet.name(base)), orEqual, offset);
    }
}
