package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/**
 * The index as it is stored. All writes go into a transaction of the caller's.
 *
 * <pre>
 * ("file", path)             -> ("waiting"), then ("indexed", words, processor) or ("skipped", why, processor)
 * ("word", word, path, part) -> how often the word occurs in that part of the file
 * ("finishes")               -> how many jobs were finished
 * </pre>
 *
 * A processor that indexes a file again writes the same keys with the same values, so that a half-done job leaves
 * nothing to clean up. The one write that must not happen twice is the counting of finishes, and so it shows whether
 * one did.
 */
final class IndexStore {
    private static final String WAITING = "waiting";
    private static final String INDEXED = "indexed";
    private static final String SKIPPED = "skipped";
    private static final int PAGE = 5_000;

    private final Subspace files;
    private final Subspace words;
    private final byte[] finishes;

    IndexStore(Subspace index) {
        files = index.get("file");
        words = index.get("word");
        finishes = index.get("finishes").pack();
    }

    /** Records that a file is to be indexed. */
    void enlist(Transaction tx, String path) {
        tx.set(files.pack(path), Tuple.from(WAITING).pack());
    }

    /** Writes the words of one part of a file. */
    void write(Transaction tx, String path, WordReader.Part part) {
        part.counts()
                .forEach((word, count) -> tx.set(
                        words.pack(Tuple.from(word, path, part.number())),
                        Tuple.from(count).pack()));
    }

    /** Records what became of a file. */
    void complete(Transaction tx, FileJob job) {
        Tuple outcome = job.skipped() == null
                ? Tuple.from(INDEXED, job.words(), job.processor())
                : Tuple.from(SKIPPED, job.skipped(), job.processor());
        tx.set(files.pack(job.path()), outcome.pack());
        tx.mutate(MutationType.ADD, finishes, ByteArrayUtil.encodeInt(1));
    }

    /** {@return how many transactions have committed that finished a job} */
    long finishes(Database database) {
        byte[] count = database.read(tx -> tx.get(finishes).join());
        return count == null ? 0 : ByteArrayUtil.decodeInt(count);
    }

    /** {@return what the index amounts to, without some of its files} */
    Totals totals(Database database, Set<String> withoutFiles) {
        Map<String, Long> counts = new TreeMap<>();
        scan(database, words, (key, value) -> {
            if (!withoutFiles.contains(key.getString(1))) {
                counts.merge(key.getString(0), value.getLong(0), Long::sum);
            }
        });
        AtomicInteger indexed = new AtomicInteger();
        scan(database, files, (key, value) -> {
            if (value.getString(0).equals(INDEXED) && !withoutFiles.contains(key.getString(0))) {
                indexed.incrementAndGet();
            }
        });
        return new Totals(indexed.get(), counts);
    }

    /** Reads page by page, each in a transaction of its own: one that reads it all could take longer than it may. */
    private static void scan(Database database, Subspace subspace, BiConsumer<Tuple, Tuple> each) {
        Range range = subspace.range();
        List<KeyValue> page;
        do {
            Range rest = range;
            page = database.read(tx -> tx.getRange(rest, PAGE).asList().join());
            for (KeyValue row : page) {
                each.accept(subspace.unpack(row.getKey()), Tuple.fromBytes(row.getValue()));
                range = new Range(ByteArrayUtil.keyAfter(row.getKey()), range.end);
            }
        } while (page.size() == PAGE);
    }
}
