package dev.couchjobs.fdb.contract.history;

import dev.couchjobs.fdb.contract.history.RecordedTransaction.Queued;
import java.util.List;
import java.util.Random;

/** What the transactions of a history do: each kind provokes anomalies of its own. */
enum Workload {
    /**
     * A few keys that are read, written, and written depending on what was read: lost updates, write skew, torn reads.
     */
    REGISTER {
        @Override
        void run(RecordedTransaction transaction, Random random) {
            String key = anyOf(random, "a", "b", "c");
            String other = anyOf(random, "a", "b", "c");
            switch (random.nextInt(5)) {
                case 0 -> {
                    transaction.get(key);
                    transaction.get(other);
                }
                case 1 -> {
                    transaction.put(key, transaction.name());
                    transaction.put(other, transaction.name());
                }
                case 2 ->
                    transaction.put(
                            key, transaction.get(key) == null ? transaction.name() : "after-" + transaction.name());
                case 3 -> {
                    transaction.get(key);
                    transaction.put(other, transaction.name());
                }
                default -> {
                    transaction.get(other);
                    transaction.get(key);
                    transaction.put(key, transaction.name());
                }
            }
        }

        @Override
        void readAll(RecordedTransaction transaction) {
            transaction.scan("a", "z", 0, false);
        }
    },

    /** Sums that many add to without reading. */
    COUNTER {
        @Override
        void run(RecordedTransaction transaction, Random random) {
            String key = anyOf(random, "x", "y");
            switch (random.nextInt(4)) {
                case 0 -> {
                    transaction.getNumber("x");
                    transaction.getNumber("y");
                }
                case 1 -> {
                    transaction.add("x", 1);
                    transaction.add("y", -1);
                }
                case 2 -> {
                    transaction.getNumber(key);
                    transaction.add(anyOf(random, "x", "y"), 1 + random.nextInt(9));
                }
                default -> {
                    transaction.add(key, 1 + random.nextInt(9));
                    transaction.getNumber(key);
                }
            }
        }

        @Override
        void readAll(RecordedTransaction transaction) {
            transaction.getNumber("x");
            transaction.getNumber("y");
        }
    },

    /**
     * Items appended under versionstamps, and taken from near the head of the queue: lost items, and items taken twice.
     */
    QUEUE {
        @Override
        void run(RecordedTransaction transaction, Random random) {
            switch (random.nextInt(5)) {
                case 0 -> transaction.peek(0);
                case 1, 2 -> {
                    transaction.enqueue(transaction.name() + "-1");
                    if (random.nextBoolean()) {
                        transaction.enqueue(transaction.name() + "-2");
                    }
                }
                default -> {
                    List<Queued> head = transaction.peek(3);
                    if (!head.isEmpty()) {
                        transaction.take(head.get(random.nextInt(head.size())));
                    }
                }
            }
        }

        @Override
        void readAll(RecordedTransaction transaction) {
            transaction.peek(0);
        }
    },

    /** Rows that come and go while others read the range that they are in, and act on how many there are. */
    RANGE {
        @Override
        void run(RecordedTransaction transaction, Random random) {
            String key = anyOf(random, "a", "b", "c", "d", "e", "f");
            String end = anyOf(random, "d", "e", "f", "g");
            switch (random.nextInt(6)) {
                case 0 -> transaction.scan("a", "g", 0, random.nextBoolean());
                case 1 -> transaction.scan(key, end, random.nextInt(3), random.nextBoolean());
                case 2 -> transaction.put(key, transaction.name());
                case 3 -> {
                    if (key.compareTo(end) < 0) {
                        transaction.clear(key, end);
                    }
                    transaction.put(key, transaction.name());
                }
                case 4 -> {
                    if (transaction.scan("a", "g", 0, false).size() < 3) {
                        transaction.put(key, transaction.name());
                    }
                }
                default -> {
                    int rows =
                            transaction.scan("a", end, 2, random.nextBoolean()).size();
                    transaction.put(rows % 2 == 0 ? "e" : "f", transaction.name());
                }
            }
        }

        @Override
        void readAll(RecordedTransaction transaction) {
            transaction.scan("a", "z", 0, true);
        }
    };

    abstract void run(RecordedTransaction transaction, Random random);

    /** Reads everything, at the end, when nobody else is there any more. */
    abstract void readAll(RecordedTransaction transaction);

    private static String anyOf(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
