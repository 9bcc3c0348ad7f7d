package dev.couchjobs.fdb.internal.versions;

/** A number about a set of entries that can be computed from the numbers of its parts, such as a sum or a maximum. */
public interface Summary<V> {
    /** The number of no entries at all is 0. */
    long of(byte[] key, V value);

    long join(long left, long right);

    /** Bytes of keys and values. */
    Summary<byte[]> TOTAL_BYTES = new Summary<>() {
        @Override
        public long of(byte[] key, byte[] value) {
            return (long) key.length + value.length;
        }

        @Override
        public long join(long left, long right) {
            return left + right;
        }
    };

    /** The greatest value; values are not negative. */
    Summary<Long> GREATEST = new Summary<>() {
        @Override
        public long of(byte[] key, Long value) {
            return value;
        }

        @Override
        public long join(long left, long right) {
            return Math.max(left, right);
        }
    };

    /** For maps that are never summed over. */
    static <V> Summary<V> nothing() {
        return new Summary<>() {
            @Override
            public long of(byte[] key, V value) {
                return 0;
            }

            @Override
            public long join(long left, long right) {
                return 0;
            }
        };
    }
}
