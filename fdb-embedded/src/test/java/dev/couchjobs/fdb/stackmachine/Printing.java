package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Items as a person wants to read them. */
final class Printing {

    private Printing() {}

    static String item(@Nullable Object item) {
        if (item instanceof byte[] bytes) {
            return "'" + ByteArrayUtil.printable(bytes) + "'";
        }
        if (item instanceof List<?> nested) {
            return Tuple.fromList(nested).toString();
        }
        return item instanceof String ? '"' + item.toString() + '"' : String.valueOf(item);
    }
}
