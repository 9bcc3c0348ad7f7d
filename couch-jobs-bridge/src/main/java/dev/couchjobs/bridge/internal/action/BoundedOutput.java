package dev.couchjobs.bridge.internal.action;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Keeps the beginning and the end of what is written to it, each up to half of the limit. One thread may write while
 * others read.
 */
final class BoundedOutput {
    private final int headLimit;
    private final int tailLimit;
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    private byte[] tail = new byte[0];
    /** The number of bytes after the head. The tail is a ring buffer of the last of them. */
    private long beyondHead;

    BoundedOutput(int limit) {
        this.headLimit = limit - limit / 2;
        this.tailLimit = limit / 2;
    }

    synchronized void write(byte[] bytes, int length) {
        int toHead = Math.min(length, headLimit - head.size());
        head.write(bytes, 0, toHead);
        if (toHead == length) {
            return;
        }
        if (tail.length == 0) {
            tail = new byte[tailLimit];
        }
        int first = Math.max(toHead, length - tailLimit);
        beyondHead += first - toHead;
        for (int i = first; i < length; i++) {
            tail[(int) (beyondHead % tailLimit)] = bytes[i];
            beyondHead++;
        }
    }

    synchronized boolean isCut() {
        return beyondHead > tailLimit;
    }

    /**
     * {@return the text in UTF-8} Invalid bytes become the replacement character. A line shows how much was omitted,
     * and no character is divided.
     */
    synchronized String text() {
        byte[] beginning = head.toByteArray();
        byte[] end = orderedTail();
        if (!isCut()) {
            byte[] all = new byte[beginning.length + end.length];
            System.arraycopy(beginning, 0, all, 0, beginning.length);
            System.arraycopy(end, 0, all, beginning.length, end.length);
            return new String(all, StandardCharsets.UTF_8);
        }
        int headEnd = Utf8.wholeUntil(beginning);
        int tailStart = Utf8.wholeFrom(end);
        long leftOut = beyondHead - tailLimit + (beginning.length - headEnd) + tailStart;
        Charset utf8 = StandardCharsets.UTF_8;
        return new String(beginning, 0, headEnd, utf8) + "\n[... " + leftOut + " bytes left out ...]\n"
                + new String(end, tailStart, end.length - tailStart, utf8);
    }

    private byte[] orderedTail() {
        int kept = (int) Math.min(beyondHead, tailLimit);
        byte[] ordered = new byte[kept];
        for (int i = 0; i < kept; i++) {
            ordered[i] = tail[(int) ((beyondHead - kept + i) % tailLimit)];
        }
        return ordered;
    }
}
