package dev.couchjobs.server;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Requests to frighten a server, by a seed. */
final class HostileRequests {
    private static final List<String> METHODS =
            List.of("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get", "X");

    private static final List<String> PATHS = List.of(
            "/v1/types/%s",
            "/v1/types/%s/jobs",
            "/v1/types/%s/jobs/%s",
            "/v1/types/%s/jobs/%s/cancel",
            "/v1/types/%s/jobs/%s/reschedule",
            "/v1/types/%s/jobs/%s/reprioritise",
            "/v1/types/%s/jobs/%s/log",
            "/v1/types/%s/jobs/%s/checkpoint",
            "/v1/types/%s/timeout",
            "/v1/types/%s/retention",
            "/v1/types/%s/limits",
            "/v1/types/%s/limit-keys/%s",
            "/v1/types/%s/selections",
            "/v1/types/%s/quarantine/%s/restore",
            "/v1/types/%s/dead-letters",
            "/v1/schedules/%s",
            "/v1/batches/%s",
            "/v1/workers/%s/pause",
            "/v1/tokens",
            "/v1/tokens/%s",
            "/v1/tokens/%s/rotate",
            "/v1/jobs",
            "/v1/%s",
            "/%s");

    private static final List<String> SEGMENTS = List.of(
            "a",
            "mail",
            "%2E%2E%2Fetc%2Fpasswd",
            "%252e%252e%252f",
            "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
            "%00",
            "a%00b",
            "%0d%0aX-Injected:%201",
            "%0a%0d",
            "%7F",
            "%E2%80%AE",
            "%F0%9F%92%A9",
            "%EF%BF%BF",
            "%5C..%5C",
            "'%20OR%201=1--",
            "${jndi:ldap:%2F%2Fx}".replace("$", "%24").replace("{", "%7B").replace("}", "%7D"),
            ";a=b",
            "*",
            "+",
            "0123456789abcdef",
            "x".repeat(1_500),
            "%E2%82%AC".repeat(160));

    private static final List<String> QUERIES = List.of(
            "",
            "",
            "?limit=0",
            "?limit=99999999999999999999",
            "?limit=-1",
            "?limit=1&limit=2",
            "?after=%00",
            "?after=AAAA",
            "?noOlderThan=zz",
            "?noOlderThan=ffffffffffffffffffff",
            "?noOlderThan=ffffffffffffffffffffffffffffffffffffffff",
            "?timeout=PT99999999999H",
            "?timeout=-PT1S",
            "?%3Cscript%3E=1",
            "?a%0d%0ab=1",
            "?state=pending%00",
            "?newestFirst=maybe",
            "?" + "a=1&".repeat(100),
            "?=",
            "?&&&",
            "?status=running&tag=x&state=pending");

    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "0",
            "-1",
            "1e999999999",
            "1e-999999999",
            "1E+2147483647",
            "123456789012345678901234567890",
            "9".repeat(900),
            "9".repeat(2_000),
            "0." + "1".repeat(900),
            "NaN",
            "\"\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "\"\\udc00\\ud800\"",
            "\"<img src=x onerror=alert(1)>\"",
            "\"P1D\"",
            "\"PT" + "9".repeat(30) + "S\"",
            "\"PT0.0000000001S\"",
            "\"2030-01-01T00:00:00Z\"",
            "\"+1000000000-12-31T23:59:59Z\"",
            "\"-1000000000-01-01T00:00:00Z\"",
            "\"9999-99-99T99:99:99Z\"",
            "\"* * * * *\"",
            "\"0 0 31 2 *\"",
            "\"" + "* ".repeat(2_000) + "\"",
            "\"" + "x".repeat(4_000) + "\"",
            "[]",
            "{}",
            "[[[[[]]]]]",
            "[".repeat(99) + "]".repeat(99),
            "{\"a\":1,\"a\":2}",
            "{\"$ref\":\"file:///etc/passwd\"}",
            "[\"a\",\"a\"]",
            "{\"type\":\"mail\",\"data\":1}",
            "[{\"type\":\"mail\",\"data\":1}]",
            "[{\"type\":\"mail\",\"id\":\"a\"}]");

    private static final List<String> NAMES = List.of(
            "data",
            "id",
            "at",
            "priority",
            "retry",
            "limitKey",
            "turnKey",
            "sequence",
            "unique",
            "startBefore",
            "batch",
            "tags",
            "after",
            "headers",
            "onlyIf",
            "jobs",
            "timeout",
            "reason",
            "max",
            "rate",
            "weight",
            "cron",
            "zone",
            "every",
            "afterEach",
            "job",
            "startingAt",
            "endingAt",
            "jitter",
            "makeUpFor",
            "overlap",
            "closing",
            "action",
            "where",
            "name",
            "roles",
            "types",
            "expiresAt",
            "__proto__",
            "$schema",
            "@class",
            "<b>",
            "\\u0000");

    private static final List<String> BROKEN = List.of(
            "{",
            "}",
            "{\"data\":",
            "{'data':1}",
            "{\"data\":1}{\"data\":1}",
            "{\"data\":1}garbage",
            "{\"data\":01}",
            "{\"data\":\"\t\"}",
            "{\"data\":\"\\x\"}",
            "\u0000\u0000",
            "{\"data\":\"\u00ff\u00fe\"}",
            "{\"data\":\"\u00c0\u00ae\"}",
            "{\"data\":\"\u00ed\u00a0\u0080\"}",
            "\u00fe\u00ff\u0000{\u0000}",
            "\u00ff\u00fe{\u0000}\u0000",
            "\u0000\u0000\u0000{",
            "\u00ef\u00bb\u00bf{}",
            "[".repeat(5_000),
            "{\"a\":".repeat(1_000),
            "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>");

    private static final List<String> HEADERS = List.of(
            "Accept: */*",
            "Idempotency-Key: " + "k".repeat(1_500),
            "Idempotency-Key: \u0001\u00ff",
            "Idempotency-Key: k",
            "If-Match: \"" + "0".repeat(1_000) + "\"",
            "If-Match: *",
            "If-None-Match: *",
            "X-Request-Id: <script>",
            "X-Forwarded-For: 127.0.0.1",
            "X-Forwarded-Host: evil.example",
            "X-HTTP-Method-Override: DELETE",
            "X-Original-URL: /v1/tokens",
            "Range: bytes=0-,0-,0-",
            "Content-Encoding: gzip",
            "Cookie: " + "a=b; ".repeat(200),
            "Origin: https://evil.example",
            "Sec-Fetch-Site: cross-site",
            "Accept-Language: " + "x,".repeat(100),
            "User-Agent: () { :; }; /bin/true");

    private static final List<String> CONTENT_TYPES = List.of(
            "application/json",
            "application/json",
            "application/json",
            "application/json; charset=utf-16",
            "application/jsonx",
            "text/html",
            "multipart/form-data; boundary=" + "x".repeat(200),
            "application/x-www-form-urlencoded",
            "\u00ff");

    /** Operations with the fields that they take; the first is needed. */
    private static final List<String> WRITES = List.of(
            "POST /v1/types/%s/jobs data id at priority retry limitKey turnKey sequence passesFailure unique startBefore"
                    + " batch tags after headers onlyIf",
            "POST /v1/types/%s/jobs data unique tags after retry at",
            "POST /v1/jobs jobs",
            "PUT /v1/types/%s/timeout timeout",
            "PUT /v1/types/%s/retention ended failed archived",
            "POST /v1/types/%s/pause reason",
            "POST /v1/types/%s/jobs/%s/cancel reason",
            "POST /v1/types/%s/jobs/%s/reschedule at",
            "POST /v1/types/%s/jobs/%s/reprioritise priority",
            "PUT /v1/types/%s/limits max rate",
            "PUT /v1/types/%s/limit-keys/%s weight max rate",
            "PUT /v1/schedules/%s job cron",
            "PUT /v1/schedules/%s job every startingAt endingAt jitter makeUpFor overlap",
            "PUT /v1/schedules/%s job cron zone",
            "PUT /v1/batches/%s closing",
            "POST /v1/types/%s/selections action where reason at priority",
            "POST /v1/tokens name roles types expiresAt",
            "POST /v1/tokens/%s/rotate overlap");

    /** What a field may be, and yet is too much. */
    private static final List<String> PLAUSIBLE = List.of(
            "5",
            "2147483647",
            "-2147483648",
            "true",
            "\"a\"",
            "\"a\\u0000b\"",
            "\"PT30S\"",
            "\"P106751991167300D\"",
            "\"PT0S\"",
            "\"2030-01-01T00:00:00Z\"",
            "\"9999-12-31T23:59:59.999999999Z\"",
            "\"2030-01-01T00:00:00+18:00\"",
            "\"0 0 29 2 *\"",
            "\"Europe/../../etc\"",
            "\"cancel\"",
            "\"absent\"",
            "\"cancel_previous\"",
            "{\"maxAttempts\":2147483647,\"factor\":1e308,\"maxDelay\":\"PT9223372036854775807S\"}",
            "{\"initialDelay\":\"PT0S\",\"factor\":1e999999999,\"jitter\":1}",
            "{\"starts\":1000000,\"period\":\"PT0.000000001S\",\"burst\":1000000}",
            "{\"starts\":1,\"period\":\"P106751991167300D\"}",
            "{\"key\":\"k\",\"within\":\"PT999999999999H\"}",
            "{\"replacing\":true,\"whileKept\":true}",
            "{\"state\":\"finished\",\"idPrefix\":\"\\ud800\"}",
            "{\"k\":\"v\\r\\nX: y\"}",
            "[\"t\",\"\\u0000\",\"" + "t".repeat(3_000) + "\"]",
            "[\"read\"]",
            "[{\"type\":\"a\",\"id\":\"a\",\"ifUnsuccessful\":\"fail\"}]",
            "[{\"type\":\"a\",\"data\":1,\"after\":[{\"type\":\"a\",\"id\":\"a\"}]}]",
            "[" + "{\"type\":\"mail\",\"data\":1},".repeat(200) + "{\"type\":\"\\u0000\",\"data\":[]}]",
            "{\"type\":\"a\",\"data\":1}");

    private final Random random;
    private final String token;

    HostileRequests(long seed, String token) {
        random = new Random(seed);
        this.token = token;
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    /** {@return a request that HTTP allows, and that leaves the connection open} */
    byte[] valid() {
        StringBuilder head = new StringBuilder();
        boolean isWrite = random.nextInt(3) > 0;
        List<String> write = List.of(one(WRITES).split(" ", -1));
        head.append(isWrite ? write.get(0) : one(METHODS))
                .append(' ')
                .append(path(isWrite ? write.get(1) : one(PATHS)))
                .append(isWrite ? "" : one(QUERIES))
                .append(" HTTP/1.1\r\nHost: localhost\r\n");
        head.append(authorization());
        for (int i = random.nextInt(3); i > 0; i--) {
            String header = one(HEADERS);
            String name = header.substring(0, header.indexOf(':') + 1);
            if (head.indexOf(name) < 0) {
                head.append(header).append("\r\n");
            }
        }
        byte[] body =
                random.nextInt(8) == 0 ? new byte[0] : body(isWrite ? write.subList(2, write.size()) : NAMES, isWrite);
        if (body.length > 0) {
            head.append("Content-Type: ")
                    .append(isWrite ? "application/json" : one(CONTENT_TYPES))
                    .append("\r\n");
        }
        if (body.length > 0 && random.nextInt(4) == 0) {
            head.append("Transfer-Encoding: chunked\r\n\r\n");
            return join(RawClient.bytes(head.toString()), chunked(body));
        }
        head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
        return join(RawClient.bytes(head.toString()), body);
    }

    private String path(String pattern) {
        String path = pattern;
        while (path.contains("%s")) {
            path = path.replaceFirst("%s", one(SEGMENTS).replace("$", "\\$"));
        }
        return path;
    }

    private String authorization() {
        return switch (random.nextInt(12)) {
            case 0 -> "";
            case 1 -> "Authorization: Bearer\r\n";
            case 2 -> "Authorization: Bearer " + token.replace(token.charAt(30), 'x') + "\r\n";
            case 3 -> "Authorization: Bearer cj_" + "0".repeat(16) + "_" + "f".repeat(64) + "\r\n";
            case 4 -> "Authorization: Basic YWRtaW46YWRtaW4=\r\n";
            case 5 -> "Authorization: Bearer " + "A".repeat(200) + "\r\n";
            default -> "Authorization: Bearer " + token + "\r\n";
        };
    }

    private byte[] body(List<String> names, boolean isFirstNeeded) {
        if (random.nextInt(8) == 0) {
            return RawClient.bytes(one(BROKEN));
        }
        StringBuilder json = new StringBuilder("{");
        int fields = 1 + random.nextInt(3);
        for (int i = 0; i < fields; i++) {
            json.append(i == 0 ? "" : ",")
                    .append('"')
                    .append(i == 0 && isFirstNeeded ? names.get(0) : one(names))
                    .append("\":")
                    .append(one(random.nextInt(4) == 0 ? VALUES : PLAUSIBLE));
        }
        return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    private byte[] chunked(byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int size = 1 + random.nextInt(body.length);
        for (int i = 0; i < body.length; i += size) {
            int count = Math.min(size, body.length - i);
            out.writeBytes(RawClient.bytes(Integer.toHexString(count) + (random.nextBoolean() ? ";x=y" : "") + "\r\n"));
            out.write(body, i, count);
            out.writeBytes(RawClient.bytes("\r\n"));
        }
        out.writeBytes(RawClient.bytes("0\r\n\r\n"));
        return out.toByteArray();
    }

    private static byte[] join(byte[] first, byte[] second) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(first);
        all.writeBytes(second);
        return all.toByteArray();
    }

    /** {@return something that is no request, or whose end is not sure} */
    byte[] malformed() {
        String good = "Host: localhost\r\nAuthorization: Bearer " + token + "\r\n";
        String post = "POST /v1/types/mail/jobs HTTP/1.1\r\n" + good + "Content-Type: application/json\r\n";
        String smuggled = "GET /v1/types HTTP/1.1\r\n" + good + "\r\n";
        List<String> all = List.of(
                "GET\r\n\r\n",
                "GET /v1/types\r\n\r\n",
                "GET /v1/types HTTP/9.9\r\n" + good + "\r\n",
                "GET /v1/types HTTP/1.1 x\r\n" + good + "\r\n",
                "GET  /v1/types  HTTP/1.1\r\n" + good + "\r\n",
                "GET v1/types HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/\u0000types HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types\u0001 HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types/%zz HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types/% HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types/%ff%fe HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types/%C0%AE%C0%AE HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types/%ED%A0%80/jobs HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types/%u002e%u002e HTTP/1.1\r\n" + good + "\r\n",
                "GET /../../../../etc/passwd HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/../../etc/passwd HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types/../../../openapi.yaml HTTP/1.1\r\n" + good + "\r\n",
                "GET /./v1/./types HTTP/1.1\r\n" + good + "\r\n",
                "GET //v1//types HTTP/1.1\r\n" + good + "\r\n",
                "GET /WEB-INF/web.xml HTTP/1.1\r\n" + good + "\r\n",
                "GET \\v1\\types HTTP/1.1\r\n" + good + "\r\n",
                "GET http://evil.example/v1/types HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types#x HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types?\u00ff\u0000 HTTP/1.1\r\n" + good + "\r\n",
                "CONNECT localhost:22 HTTP/1.1\r\n" + good + "\r\n",
                "OPTIONS * HTTP/1.1\r\n" + good + "\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\u0000".repeat(50),
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
                "\u0000".repeat(1 + random.nextInt(100)),
                "x".repeat(20_000),
                "GET /" + "a".repeat(20_000) + " HTTP/1.1\r\n" + good + "\r\n",
                "GET /v1/types HTTP/1.1\r\n" + good + "X: " + "a".repeat(20_000) + "\r\n\r\n",
                "GET /v1/types HTTP/1.1\r\n" + good + "X: y\r\n".repeat(3_000) + "\r\n",
                "GET /v1/types HTTP/1.1\r\n" + good + "No colon\r\n\r\n",
                "GET /v1/types HTTP/1.1\r\n" + good + ": no name\r\n\r\n",
                "GET /v1/types HTTP/1.1\r\n" + good + "X : space\r\n\r\n",
                "GET /v1/types HTTP/1.1\r\n" + good + "X: a\r\n folded\r\n\r\n",
                "GET /v1/types HTTP/1.1\r\n" + good + "X\u0000: a\r\n\r\n",
                "GET /v1/types HTTP/1.1\r\n" + good + "X: a\u0000b\r\n\r\n",
                "GET /v1/types HTTP/1.1\r\n" + good + "X: a\rInjected: b\r\n\r\n",
                "GET /v1/types HTTP/1.1\n" + good.replace("\r", "") + "\n",
                "GET /v1/types HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n",
                "GET /v1/types HTTP/1.1\r\nHost: \r\n\r\n",
                "GET /v1/types HTTP/1.1\r\nHost: localhost:99999\r\n\r\n",
                "GET /v1/types HTTP/1.1\r\nHost: a b\r\n\r\n",
                "GET /v1/types HTTP/1.1\r\nHost: [::1\r\n\r\n",
                "GET /v1/types HTTP/1.0\r\n\r\n",
                post + "Content-Length: -1\r\n\r\n" + smuggled,
                post + "Content-Length: 99999999999999999999\r\n\r\n",
                post + "Content-Length: 1e3\r\n\r\n",
                post + "Content-Length: 0x10\r\n\r\n" + smuggled,
                post + "Content-Length: +5\r\n\r\n{\"a\":" + smuggled,
                post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345" + smuggled,
                post + "Content-Length: 5, 6\r\n\r\n12345" + smuggled,
                post + "Content-Length: 1000\r\n\r\n{}",
                post + "Content-Length: 2147483647\r\n\r\n{}",
                post + "Content-Length: 5000000\r\n\r\n{}",
                post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
                post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + smuggled,
                post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled,
                post + "Transfer-Encoding: identity\r\n\r\n" + smuggled,
                post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled,
                post + "Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n" + smuggled,
                post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled,
                post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + smuggled,
                post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n" + smuggled,
                post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
                post + "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\nx",
                post + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":1}\r\n0\r\n\r\n" + smuggled,
                post + "Transfer-Encoding: chunked\r\n\r\n5",
                post + "Transfer-Encoding: chunked\r\n\r\n2;" + "x".repeat(20_000) + "\r\n{}\r\n0\r\n\r\n",
                post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + "T: x\r\n".repeat(5_000) + "\r\n",
                post + "Expect: nonsense\r\nContent-Length: 2\r\n\r\n{}",
                post + "Upgrade: websocket\r\nConnection: Upgrade, close\r\nContent-Length: 2\r\n\r\n{}",
                "GET /v1/types HTTP/1.1\r\n" + good
                        + "Upgrade: h2c\r\nHTTP2-Settings: !!!\r\nConnection: Upgrade, HTTP2-Settings, close\r\n\r\n");
        String request = one(all);
        return random.nextInt(4) == 0 ? mutate(RawClient.bytes(request)) : RawClient.bytes(request);
    }

    /** Cuts the request off, so that nothing behind the place is a request of its own, or changes a byte of its head. */
    private byte[] mutate(byte[] request) {
        if (random.nextBoolean()) {
            return Arrays.copyOf(request, random.nextInt(request.length) + 1);
        }
        byte[] changed = request.clone();
        changed[random.nextInt(Math.min(20, changed.length))] = (byte) random.nextInt(256);
        return changed;
    }
}
