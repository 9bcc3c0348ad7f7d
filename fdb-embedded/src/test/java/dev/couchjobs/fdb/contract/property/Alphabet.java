package dev.couchjobs.fdb.contract.property;

/** The keys of the properties, by index. The index after the last one is only used as a bound. */
final class Alphabet {

    static final int SIZE = 8;

    private Alphabet() {}

    static String name(int index) {
        return Character.toString('a' + index);
    }

    static int index(String name) {
        return name.charAt(0) - 'a';
    }
}
