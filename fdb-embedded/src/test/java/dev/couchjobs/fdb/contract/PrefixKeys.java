package dev.couchjobs.fdb.contract;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.UUID;

/** The keys under one random prefix: a test's own part of a database that others may be using. */
public final class PrefixKeys {

    private final byte[] prefix = Tuple.from("fdb-contract", UUID.randomUUID()).pack();

    /** The bytes that every key starts with. */
    public byte[] prefix() {
        return prefix.clone();
    }

    /** The key with this name, one byte per character. */
    public byte[] key(String name) {
        return ByteArrayUtil.join(prefix, bytes(name));
    }

    /** All the keys. */
    public Range all() {
        return Range.startsWith(prefix);
    }

    /** The name of a key; {@code "<"} and {@code ">"} stand for whatever lies before and after the prefix. */
    public String name(byte[] key) {
        if (ByteArrayUtil.startsWith(key, prefix)) {
            return text(key).substring(prefix.length);
        }
        return ByteArrayUtil.compareUnsigned(key, prefix) < 0 ? "<" : ">";
    }

    /** Rows as {@code name=value}, without those outside the prefix. */
    public List<String> rows(List<KeyValue> rows) {
        return rows.stream()
                .filter(row -> ByteArrayUtil.startsWith(row.getKey(), prefix))
                .map(row -> name(row.getKey()) + "=" + text(row.getValue()))
                .toList();
    }

    /** Removes every key. */
    public void clear(Database database) {
        database.run(tr -> {
            tr.clear(all());
            return true;
        });
    }

    /** One byte per character. */
    public static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    /** One character per byte. */
    public static String text(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }
}
