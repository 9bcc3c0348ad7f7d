package dev.couchjobs.fdb.contract.history;

import dev.couchjobs.fdb.contract.history.Session.Queued;
import java.util.List;
import java.util.Random;

/** What the transactions of a history do: each kind provokes anomalies of its own. */
enum Workload {
    /**
     * A few keys that are read, written, and written depending on what was read: lost updates, write skew, torn reads.
     */
    REGISTER {
        @Override
        void run(Session session, Random random) {
            String key = anyOf(random, "a", "b", "c");
            String other = anyOf(random, "a", "b", "c");
            switch (random.nextInt(5)) {
                case 0 -> {
                    session.get(key);
                    session.get(other);
                }
                case 1 -> {
                    session.put(key, session.name());
                    session.put(other, session.name());
                }
                case 2 -> session.put(key, session.get(key) == null ? session.name() : "after-" + session.name());
                case 3 -> {
                    session.get(key);
                    session.put(other, session.name());
                }
                default -> {
                    session.get(other);
                    session.get(key);
                    session.put(key, session.name());
                }
            }
        }

        @Override
        void readAll(Session session) {
            session.scan("a", "z", 0, false);
        }
    },

    /** Sums that many add to without reading. */
    COUNTER {
        @Override
        void run(Session session, Random random) {
            String key = anyOf(random, "x", "y");
            switch (random.nextInt(4)) {
                case 0 -> {
                    session.getNumber("x");
                    session.getNumber("y");
                }
                case 1 -> {
                    session.add("x", 1);
                    session.add("y", -1);
                }
                case 2 -> {
                    session.getNumber(key);
                    session.add(anyOf(random, "x", "y"), 1 + random.nextInt(9));
                }
                default -> {
                    session.add(key, 1 + random.nextInt(9));
                    session.getNumber(key);
                }
            }
        }

        @Override
        void readAll(Session session) {
            session.getNumber("x");
            session.getNumber("y");
        }
    },

    /**
     * Items appended under versionstamps, and taken from near the head of the queue: lost items, and items taken twice.
     */
    QUEUE {
        @Override
        void run(Session session, Random random) {
            switch (random.nextInt(5)) {
                case 0 -> session.peek(0);
                case 1, 2 -> {
                    session.enqueue(session.name() + "-1");
                    if (random.nextBoolean()) {
                        session.enqueue(session.name() + "-2");
                    }
                }
                default -> {
                    List<Queued> head = session.peek(3);
                    if (!head.isEmpty()) {
                        session.take(head.get(random.nextInt(head.size())));
                    }
                }
            }
        }

        @Override
        void readAll(Session session) {
            session.peek(0);
        }
    },

    /** Rows that come and go while others read the range that they are in, and act on how many there are. */
    RANGE {
        @Override
        void run(Session session, Random random) {
            String key = anyOf(random, "a", "b", "c", "d", "e", "f");
            String end = anyOf(random, "d", "e", "f", "g");
            switch (random.nextInt(6)) {
                case 0 -> session.scan("a", "g", 0, random.nextBoolean());
                case 1 -> session.scan(key, end, random.nextInt(3), random.nextBoolean());
                case 2 -> session.put(key, session.name());
                case 3 -> {
                    if (key.compareTo(end) < 0) {
                        session.clear(key, end);
                    }
                    session.put(key, session.name());
                }
                case 4 -> {
                    if (session.scan("a", "g", 0, false).size() < 3) {
                        session.put(key, session.name());
                    }
                }
                default -> {
                    int rows = session.scan("a", end, 2, random.nextBoolean()).size();
                    session.put(rows % 2 == 0 ? "e" : "f", session.name());
                }
            }
        }

        @Override
        void readAll(Session session) {
            session.scan("a", "z", 0, true);
        }
    };

    abstract void run(Session session, Random random);

    /** Reads everything, at the end, when nobody else is there any more. */
    abstract void readAll(Session session);

    private static String anyOf(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
