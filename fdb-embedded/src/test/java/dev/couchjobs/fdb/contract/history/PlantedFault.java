package dev.couchjobs.fdb.contract.history;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncIterable;
import com.apple.foundationdb.async.AsyncIterator;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.fdb.contract.EngineFutures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Ways in which a database goes wrong, each done to a sound one. */
enum PlantedFault {
    /** Two that read the same may both write: lost updates, write skew, phantoms, items taken twice. */
    READS_DO_NOT_CONFLICT {
        @Override
        Transaction change(Transaction tr, Memory memory) {
            return new Altered(tr) {
                @Override
                CompletableFuture<byte[]> get(byte[] key) {
                    return tr.snapshot().get(key);
                }

                @Override
                AsyncIterable<KeyValue> getRange(byte[] begin, byte[] end, int limit, boolean reverse) {
                    return tr.snapshot().getRange(begin, end, limit, reverse);
                }

                @Override
                void addReadConflictKey(byte[] key) {}
            }.asTransaction();
        }
    },

    /** A range read conflicts with changes of the rows that were there, and not with new ones. */
    RANGES_MISS_PHANTOMS {
        @Override
        Transaction change(Transaction tr, Memory memory) {
            return new Altered(tr) {
                @Override
                AsyncIterable<KeyValue> getRange(byte[] begin, byte[] end, int limit, boolean reverse) {
                    return listed(tr.snapshot()
                            .getRange(begin, end, limit, reverse)
                            .asList()
                            .thenApply(rows -> {
                                rows.forEach(row -> tr.addReadConflictKey(row.getKey()));
                                return rows;
                            }));
                }
            }.asTransaction();
        }
    },

    /** Reads lag behind: the history still has a serial order, but not one that agrees with the clock. */
    READS_ARE_STALE {
        @Override
        Transaction change(Transaction tr, Memory memory) {
            long remembered = memory.version.get();
            if (memory.calls.getAndIncrement() % 20 == 0 || remembered == 0) {
                memory.version.set(EngineFutures.await(tr.getReadVersion()));
            } else {
                tr.setReadVersion(remembered);
            }
            return tr;
        }
    },

    /** Sets are visible before they are committed, and if they never are. */
    READS_ARE_DIRTY {
        @Override
        Transaction change(Transaction tr, Memory memory) {
            return new Altered(tr) {
                @Override
                void set(byte[] key, byte[] value) {
                    memory.uncommitted.put(ByteArrayUtil.printable(key), value);
                    tr.set(key, value);
                }

                @Override
                CompletableFuture<byte[]> get(byte[] key) {
                    byte @Nullable [] dirty = memory.uncommitted.get(ByteArrayUtil.printable(key));
                    return tr.get(key).thenApply(clean -> dirty == null ? clean : dirty);
                }

                @Override
                CompletableFuture<Void> commit() {
                    return tr.commit().whenComplete((done, error) -> memory.uncommitted.clear());
                }
            }.asTransaction();
        }
    },

    /** A commit is two commits. */
    COMMITS_ARE_TORN {
        @Override
        Transaction change(Transaction tr, Memory memory) {
            List<Runnable> later = new ArrayList<>();
            Transaction second = tr.getDatabase().createTransaction();
            return new Altered(tr) {
                @Override
                void set(byte[] key, byte[] value) {
                    later.add(() -> second.set(key, value));
                    if (later.size() == 1) {
                        tr.set(key, value);
                    }
                }

                @Override
                void mutate(MutationType type, byte[] key, byte[] operand) {
                    if (type == MutationType.ADD && !later.isEmpty()) {
                        second.mutate(type, key, operand);
                    } else {
                        later.add(() -> {});
                        tr.mutate(type, key, operand);
                    }
                }

                @Override
                CompletableFuture<Void> commit() {
                    return tr.commit().thenRun(() -> {
                        Recording.letOthersOn();
                        later.stream().skip(1).forEach(Runnable::run);
                        EngineFutures.await(second.commit());
                    });
                }

                @Override
                void close() {
                    second.close();
                    tr.close();
                }
            }.asTransaction();
        }
    },

    /** What a conflict should have undone stays. */
    CONFLICTS_ARE_WRITTEN {
        @Override
        Transaction change(Transaction tr, Memory memory) {
            Transaction second = tr.getDatabase().createTransaction();
            return new Altered(tr) {
                @Override
                void set(byte[] key, byte[] value) {
                    second.set(key, value);
                    tr.set(key, value);
                }

                @Override
                CompletableFuture<Void> commit() {
                    return tr.commit().whenComplete((done, error) -> {
                        if (error != null) {
                            EngineFutures.await(second.commit());
                        }
                    });
                }

                @Override
                void close() {
                    second.close();
                    tr.close();
                }
            }.asTransaction();
        }
    },

    /** Some items are acknowledged and never seen. */
    ITEMS_ARE_LOST {
        @Override
        Transaction change(Transaction tr, Memory memory) {
            return new Altered(tr) {
                @Override
                void mutate(MutationType type, byte[] key, byte[] operand) {
                    if (type != MutationType.SET_VERSIONSTAMPED_KEY || memory.calls.getAndIncrement() % 10 != 0) {
                        tr.mutate(type, key, operand);
                    }
                }
            }.asTransaction();
        }
    },

    /** No fault, but a cluster's right: some commits end unknown, half of them done and half of them not. */
    OUTCOMES_ARE_UNKNOWN {
        @Override
        Transaction change(Transaction tr, Memory memory) {
            return new Altered(tr) {
                @Override
                CompletableFuture<Void> commit() {
                    return switch (memory.calls.getAndIncrement() % 12) {
                        case 3 -> CompletableFuture.failedFuture(new FDBException("not done", 1021));
                        case 9 ->
                            tr.commit()
                                    .thenCompose(
                                            done -> CompletableFuture.failedFuture(new FDBException("done", 1021)));
                        default -> tr.commit();
                    };
                }
            }.asTransaction();
        }
    };

    /** What the faults of one database know of each other. */
    static final class Memory {
        private final AtomicInteger calls = new AtomicInteger();
        private final AtomicLong version = new AtomicLong();
        private final Map<String, byte[]> uncommitted = new ConcurrentHashMap<>();
    }

    abstract Transaction change(Transaction tr, Memory memory);

    Database in(Database database) {
        Memory memory = new Memory();
        return Altered.database(database, tr -> change(tr, memory));
    }

    private static AsyncIterable<KeyValue> listed(CompletableFuture<List<KeyValue>> rows) {
        return new AsyncIterable<>() {
            @Override
            public AsyncIterator<KeyValue> iterator() {
                throw new UnsupportedOperationException("Use asList");
            }

            @Override
            public CompletableFuture<List<KeyValue>> asList() {
                return rows;
            }
        };
    }
}
