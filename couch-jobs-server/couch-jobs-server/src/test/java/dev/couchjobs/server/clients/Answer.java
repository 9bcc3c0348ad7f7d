package dev.couchjobs.server.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How a server answers a request.
 *
 * @param name what tests call it
 * @param text what it writes
 * @param after what it does with the connection then
 * @param meaning what the client has to make of it
 * @param cause what the client has to say if it fails the job because of it
 */
record Answer(String name, String text, After after, Meaning meaning, Pattern cause) {
    private static final Set<Integer> TEMPORARY = Set.of(408, 429, 500, 502, 503, 504);
    /** Node's {@code fetch} says of 407 that it has failed, and repeats a request on 421. */
    private static final Set<Integer> HIDDEN = Set.of(407, 421);

    private static final Set<Integer> WITHOUT_BODY = Set.of(204, 304);
    private static final Pattern CLOSED = Pattern.compile("closed|incomplete|reset|Broken pipe");

    static final Answer GOOD = status(200, Meaning.DONE, "{}");

    enum After {
        /** Reads the body before it answers, and keeps the connection. */
        KEEP,
        /** Reads the body before it answers, and closes the connection. */
        CLOSE,
        /** Answers before it has read the body, and closes the connection. */
        CLOSE_UNREAD,
        /** Keeps the connection, and writes no more. */
        SILENCE
    }

    enum Meaning {
        DONE,
        /** The worker has lost the claim. */
        LOST,
        /** The same request will always be refused. */
        REFUSED,
        /** The same request may succeed later. */
        TEMPORARY
    }

    static Answer problem(int status) {
        Meaning meaning = status < 300 ? Meaning.DONE : Meaning.REFUSED;
        if (TEMPORARY.contains(status) || HIDDEN.contains(status)) {
            meaning = Meaning.TEMPORARY;
        }
        return status(status, meaning, "{\"detail\": \"as told\"}");
    }

    private static Answer status(int status, Meaning meaning, String body) {
        boolean hasBody = !WITHOUT_BODY.contains(status);
        String head = "HTTP/1.1 " + status + " Status\r\n"
                + (hasBody ? "Content-Length: " + body.length() + "\r\n" : "")
                + (status / 100 == 3 ? "Location: http://127.0.0.1:1/\r\n" : "");
        String text = head + "\r\n" + (hasBody ? body : "");
        return of(status + " " + body, text, After.KEEP, meaning, status + "|fetch failed");
    }

    /** {@return a reply of a server that works} */
    static Answer reply(String json) {
        return of("reply", head("200 OK", "X: y", json.getBytes(UTF_8).length) + json, After.KEEP, Meaning.DONE, "");
    }

    private static Answer of(String name, String text, After after, Meaning meaning, String cause) {
        return new Answer(name, text, after, meaning, Pattern.compile(cause));
    }

    private static Answer lost(String halt) {
        return status(
                409, Meaning.LOST, "{\"type\": \"urn:couch-jobs:problem:lease-lost\", \"halt\": \"" + halt + "\"}");
    }

    private static Answer broken(String name, String text, After after) {
        return new Answer(name, text, after, Meaning.TEMPORARY, CLOSED);
    }

    /** {@return an answer with each status that is final} */
    static Stream<Answer> statuses() {
        return IntStream.range(200, 600).mapToObj(Answer::problem);
    }

    /** {@return the answers after which a client soon repeats its request} */
    static List<Answer> soonRepeated() {
        List<Answer> answers = new ArrayList<>();
        for (int status : TEMPORARY) {
            answers.add(problem(status));
        }
        answers.add(
                of("a page", head("502 X", "Connection: close", 6) + "<html>", After.CLOSE, Meaning.TEMPORARY, "502"));
        answers.add(broken("closed at once", "", After.CLOSE_UNREAD));
        answers.add(broken("closed", "", After.CLOSE));
        answers.add(broken("half a status line", "HTTP/1.1 20", After.CLOSE));
        answers.add(broken("half a head", "HTTP/1.1 200 OK\r\nContent-Le", After.CLOSE));
        answers.add(broken("half a body", head("200 OK", "X: y", 100) + "{", After.CLOSE));
        answers.add(broken("half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{", After.CLOSE));
        answers.add(not("no HTTP", "220 mail.example.org ESMTP\r\n\r\n", After.CLOSE, "HTTP"));
        answers.add(not("no status", "HTTP/1.1 fine\r\n\r\n", After.CLOSE, "HTTP"));
        answers.add(not("no length", head("200 OK", "X: y", -1) + "{}", After.CLOSE, "HTTP"));
        answers.add(not("a login page", head("200 OK", "X: y", 6) + "<html>", After.KEEP, "JSON"));
        answers.add(not("half a document", head("200 OK", "X: y", 7) + "{\"id\": ", After.KEEP, "JSON"));
        return answers;
    }

    private static Answer not(String name, String text, After after, String cause) {
        return of(name, text, after, Meaning.TEMPORARY, cause);
    }

    /** {@return the answers for a request that ends a claim} */
    static List<Answer> all() {
        List<Answer> answers = new ArrayList<>(soonRepeated());
        answers.add(of("not soon", head("503 X", "Retry-After: 3600", 2) + "{}", After.KEEP, Meaning.TEMPORARY, "503"));
        answers.add(not("silence", "", After.SILENCE, "in time"));
        answers.add(not("half a reply, then silence", "HTTP/1.1 200 OK\r\n", After.SILENCE, "in time"));
        answers.add(GOOD);
        answers.add(of("nothing to say", "HTTP/1.1 204 X\r\n\r\n", After.KEEP, Meaning.DONE, ""));
        answers.add(
                of("early", "HTTP/1.1 102 X\r\n\r\n" + head("200 OK", "X: y", 2) + "{}", After.KEEP, Meaning.DONE, ""));
        for (String halt : List.of("lost", "cancelled", "removed", "ended")) {
            answers.add(lost(halt));
        }
        for (int status : new int[] {301, 400, 401, 403, 404, 409, 413, 422}) {
            answers.add(problem(status));
        }
        answers.add(of(
                "too large, unread",
                head("413 X", "Connection: close", 2) + "{}",
                After.CLOSE_UNREAD,
                Meaning.REFUSED,
                "413|" + CLOSED.pattern()));
        return answers;
    }

    private static String head(String status, String header, int length) {
        return "HTTP/1.1 " + status + "\r\n" + header + "\r\nContent-Length: " + length + "\r\n\r\n";
    }

    @Override
    public String toString() {
        return name;
    }
}
