package dev.couchjobs.bridge.internal.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class BoundedOutputTest {

    @Test
    void whatFitsIsKeptAsItIs() {
        assertThat(written(10, "0123456789").text()).isEqualTo("0123456789");
        assertThat(written(10, "0123456789").isCut()).isFalse();
    }

    @Test
    void ofMoreTheBeginningAndTheEndAreKept() {
        BoundedOutput output = written(6, "abc", "-----", "x", "yz");

        assertThat(output.isCut()).isTrue();
        assertThat(output.text()).isEqualTo("abc\n[... 5 bytes left out ...]\nxyz");
    }

    @Test
    void whatIsLeftOutInOneLargePieceIsCountedToo() {
        assertThat(written(4, "ab" + "-".repeat(100_000) + "yz").text())
                .isEqualTo("ab\n[... 100000 bytes left out ...]\nyz");
    }

    @Test
    void noCharacterIsCutInTwo() {
        assertThat(written(8, "ab€€€€").text()).isEqualTo("ab\n[... 9 bytes left out ...]\n€");
        assertThat(written(4, "é😀😀é").text()).isEqualTo("é\n[... 8 bytes left out ...]\né");
    }

    @Test
    void bytesThatAreNoTextBecomeReplacementCharacters() {
        BoundedOutput output = new BoundedOutput(10);
        output.write(new byte[] {'a', (byte) 0xFF, 'b'}, 3);

        assertThat(output.text()).isEqualTo("a\uFFFDb");
    }

    @Test
    void aLimitOfNothingKeepsNothing() {
        assertThat(written(0, "abc").text()).isEqualTo("\n[... 3 bytes left out ...]\n");
        assertThat(written(1, "abc").text()).isEqualTo("a\n[... 2 bytes left out ...]\n");
    }

    @Test
    void inWhateverPiecesItComesTheResultIsThatOfOnePiece() {
        Samples.check(500, samples -> {
            byte[] bytes = samples.bytes(60);
            int limit = samples.between(0, 40);
            int piece = samples.between(1, 9);
            BoundedOutput whole = new BoundedOutput(limit);
            whole.write(bytes, bytes.length);
            BoundedOutput inPieces = new BoundedOutput(limit);
            for (int start = 0; start < bytes.length; start += piece) {
                int length = Math.min(piece, bytes.length - start);
                byte[] next = new byte[piece];
                System.arraycopy(bytes, start, next, 0, length);
                inPieces.write(next, length);
            }

            assertThat(inPieces.text()).isEqualTo(whole.text());
            assertThat(inPieces.isCut()).isEqualTo(bytes.length > limit);
        });
    }

    private static BoundedOutput written(int limit, String... pieces) {
        BoundedOutput output = new BoundedOutput(limit);
        for (String piece : pieces) {
            byte[] bytes = piece.getBytes(StandardCharsets.UTF_8);
            output.write(bytes, bytes.length);
        }
        return output;
    }
}
