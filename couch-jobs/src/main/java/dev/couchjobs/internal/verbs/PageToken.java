package dev.couchjobs.internal.verbs;

import com.apple.foundationdb.tuple.Tuple;
import java.util.Base64;

/** Where a listing goes on, as text: what is listed, and the last key or id that was looked at. */
final class PageToken {
    private PageToken() {}

    static String encode(String listing, byte[] last) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Tuple.from(listing, last).pack());
    }

    /** The last key or id, of a continuation of that listing. */
    static byte[] decode(String listing, String continuation) {
        try {
            Tuple decoded = Tuple.fromBytes(Base64.getUrlDecoder().decode(continuation));
            if (decoded.size() == 2 && listing.equals(decoded.getString(0))) {
                return decoded.getBytes(1);
            }
        } catch (RuntimeException e) { // whatever the text is, it is no continuation
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
