package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.KeySelector;
import dev.couchjobs.fdb.contract.PrefixKeys;

/** A key selector over the alphabet. */
record Selector(int base, boolean orEqual, int offset) {

    KeySelector in(PrefixKeys keys) {
        return new KeySelector(keys.key(Alphabet.name(base)), orEqual, offset);
    }
}
