package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.tuple.Tuple;
import java.util.Base64;

/** The continuation of a listing, as text: the name of the listing, and the last key or id that it has read. */
final class PageToken {
    private PageToken() {}

    static String encode(String listing, byte[] last) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Tuple.from(listing, last).pack());
    }

    /** {@return the last key or id of a continuation of the listing} */
    static byte[] decode(String listing, String continuation) {
        try {
            Tuple decoded = Tuple.fromBytes(Base64.getUrlDecoder().decode(continuation));
            if (decoded.size() == 2 && listing.equals(decoded.getString(0))) {
                return decoded.getBytes(1);
            }
        } catch (RuntimeException e) { // the text is no continuation
            throw unknown(continuation);
        }
        throw unknown(continuation);
    }

    static IllegalArgumentException unknown(String continuation) {
        return new IllegalArgumentException(
                "\"" + continuation + "\" is no place to go on from: pass what the page before"
                        + " said, unchanged, to the same listing of the same type.");
    }
}
