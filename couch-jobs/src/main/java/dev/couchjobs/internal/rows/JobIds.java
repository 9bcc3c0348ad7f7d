package dev.couchjobs.internal.rows;

import java.util.ArrayList;
import java.util.List;

/** The ids of jobs that share a row of an index, as its value: a tuple of texts. */
public final class JobIds {
    private static final int ID_BYTES = 24;

    private JobIds() {}

    public static byte[] encode(List<String> jobIds) {
        TupleWriter value = new TupleWriter(ID_BYTES * jobIds.size());
        jobIds.forEach(value::add);
        return value.toBytes();
    }

    public static List<String> decode(byte[] value) {
        List<String> jobIds = new ArrayList<>();
        TupleReader ids = new TupleReader(value);
        while (ids.hasNext()) {
            jobIds.add(ids.readString());
        }
        return jobIds;
    }
}
