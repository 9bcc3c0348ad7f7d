package dev.couchjobs.fdb.stackmachine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;

/** Where programs keep what: areas under one prefix, in the order of their names. */
final class ProgramKeys {

    /** The first bytes of every key that a program touches. */
    static final String PREFIX = "stackmachine/";

    /** Copies of what was read: they may hold stamps, so nothing is calculated with them. */
    static final String COPIES = PREFIX + "copies/";

    static final String DIRECTORIES = PREFIX + "directories/";
    static final String LOG = PREFIX + "log/";
    static final String STAMPED_KEYS = PREFIX + "stampedkeys/";
    static final String STAMPED_VALUES = PREFIX + "stampedvalues/";
    static final String WORK = PREFIX + "work/";

    /** How far a selector may lead from its base and still find only rows of the program's own. */
    static final int FENCE = 10;

    private ProgramKeys() {}

    static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    static Range all() {
        return Range.startsWith(bytes(PREFIX));
    }

    /**
     * Leaves nothing but a fence of rows on either side, so that a selector with a small offset and a range with a
     * limit mean the same in a database that others use as well.
     */
    static void prepare(Transaction tr) {
        tr.clear(all());
        for (int i = 0; i < FENCE; i++) {
            tr.set(bytes(PREFIX + "!" + i), bytes("fence"));
            tr.set(bytes(PREFIX + "~" + i), bytes("fence"));
        }
    }
}
