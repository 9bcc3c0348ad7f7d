package dev.couchjobs.fdb.contract.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call of a transaction, together with what it returned. */
sealed interface RecordedCall {

    /** Whether the call would have returned the same on these contents. */
    default boolean holdsOn(ObservedContents contents) {
        return true;
    }

    /** What the call makes of the contents. */
    default ObservedContents applyTo(ObservedContents contents) {
        return contents;
    }

    /** Whether what the call saw has to be true of the moment of the commit, and not only of the read version. */
    default boolean isSerializable() {
        return true;
    }

    default boolean isWrite() {
        return false;
    }

    /** {@code get}. */
    record Get(String key, @Nullable String value) implements RecordedCall {
        @Override
        public boolean holdsOn(ObservedContents contents) {
            String there = contents.get(key);
            return there == null ? value == null : there.equals(value);
        }
    }

    /** {@code getRange}; a limit of zero is none. */
    record Scan(String begin, String end, int limit, boolean reverse, List<String> rows) implements RecordedCall {
        @Override
        public boolean holdsOn(ObservedContents contents) {
            List<String> there = new ArrayList<>();
            contents.between(begin, end).forEach((key, value) -> there.add(key + "=" + value));
            if (reverse) {
                Collections.reverse(there);
            }
            return rows.equals(first(there, limit));
        }
    }

    /** The oldest items of the queue, by snapshot read. */
    record Peek(int limit, List<String> items) implements RecordedCall {
        @Override
        public boolean holdsOn(ObservedContents contents) {
            return items.equals(first(contents.queue(), limit));
        }

        @Override
        public boolean isSerializable() {
            return false;
        }
    }

    /** {@code set}. */
    record Put(String key, String value) implements RecordedCall {
        @Override
        public ObservedContents applyTo(ObservedContents contents) {
            return contents.with(key, value);
        }

        @Override
        public boolean isWrite() {
            return true;
        }
    }

    /** {@code clear} of a range. */
    record Clear(String begin, String end) implements RecordedCall {
        @Override
        public ObservedContents applyTo(ObservedContents contents) {
            return contents.without(begin, end);
        }

        @Override
        public boolean isWrite() {
            return true;
        }
    }

    /** An atomic addition. */
    record Add(String key, long amount) implements RecordedCall {
        @Override
        public ObservedContents applyTo(ObservedContents contents) {
            String before = contents.get(key);
            return contents.with(key, Long.toString(amount + (before == null ? 0 : Long.parseLong(before))));
        }

        @Override
        public boolean isWrite() {
            return true;
        }
    }

    /** A new item under a versionstamped key. */
    record Enqueue(String item) implements RecordedCall {
        @Override
        public ObservedContents applyTo(ObservedContents contents) {
            return contents.withItem(item);
        }

        @Override
        public boolean isWrite() {
            return true;
        }
    }

    /** An item removed, and its key declared as read. */
    record Take(String item) implements RecordedCall {
        @Override
        public boolean holdsOn(ObservedContents contents) {
            return contents.queue().contains(item);
        }

        @Override
        public ObservedContents applyTo(ObservedContents contents) {
            return contents.withoutItem(item);
        }

        @Override
        public boolean isWrite() {
            return true;
        }
    }

    private static List<String> first(List<String> all, int limit) {
        return limit > 0 && limit < all.size() ? all.subList(0, limit) : all;
    }
}
