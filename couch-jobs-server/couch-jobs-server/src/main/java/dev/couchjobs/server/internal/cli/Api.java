package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.jetty.PemFiles;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Speaks the API. A reply that is a problem becomes a {@link Failure}. Safe for use by several threads. */
final class Api {
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private final HttpClient client;
    private final String base;
    private final Optional<String> token;

    /**
     * Makes a caller of a server.
     *
     * @param authorities the file with the authorities that are trusted, in place of Java's
     */
    Api(URI server, Optional<String> token, Optional<Path> authorities) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT);
        if (!server.getScheme().equalsIgnoreCase("https")) {
            builder.sslContext(PemFiles.trustingNone()); // the standard one reads Java's authorities, which takes long
        } else {
            authorities.map(Api::trusting).ifPresent(builder::sslContext);
        }
        client = builder.build();
        String text = server.toString();
        this.base = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        this.token = token;
    }

    private static SSLContext trusting(Path authorities) {
        try {
            return PemFiles.trusting(authorities);
        } catch (IllegalArgumentException e) {
            throw new Failure(
                    Failure.USAGE,
                    String.valueOf(e.getMessage()),
                    "Give a file with certificates in PEM with --ca-file or in COUCH_JOBS_CA_FILE.");
        }
    }

    ApiReply get(Address address) {
        return require(send("GET", address, MissingNode.getInstance()));
    }

    ApiReply post(Address address, JsonNode body) {
        return require(send("POST", address, body));
    }

    ApiReply post(Address address) {
        return post(address, MissingNode.getInstance());
    }

    ApiReply put(Address address, JsonNode body) {
        return require(send("PUT", address, body));
    }

    ApiReply patch(Address address, JsonNode body) {
        return require(send("PATCH", address, body));
    }

    ApiReply delete(Address address) {
        return require(send("DELETE", address, MissingNode.getInstance()));
    }

    /** {@return the reply, also if it is a problem} */
    ApiReply send(String method, Address address, JsonNode body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + address.text()));
        if (body.isMissingNode()) {
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            request.method(method, HttpRequest.BodyPublishers.ofByteArray(Json.write(body)));
            request.header("Content-Type", "application/json");
        }
        token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
        try {
            HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            return reply(response);
        } catch (ConnectException e) {
            throw new Failure(
                    Failure.FAILED,
                    "Nothing answers at " + base + ".",
                    "Start a server with `couch-jobs serve --directory DIRECTORY`, or say with --url, --directory or"
                            + " --cluster-file where the jobs are.");
        } catch (SSLException e) {
            throw refusedByTls(e);
        } catch (IOException e) {
            throw new Failure(
                    Failure.FAILED,
                    "The server at " + base + " has not replied: " + e.getMessage() + ".",
                    "Whether the request was carried out is unknown: look before you repeat it.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(Failure.FAILED, "Interrupted.", "The request may have been carried out.");
        }
    }

    private Failure refusedByTls(SSLException error) {
        if (String.valueOf(error.getMessage()).contains("PKIX")) {
            return new Failure(
                    Failure.FAILED,
                    "The certificate of " + base + " is not trusted.",
                    "Give the certificate of its authority, or its own, in PEM with --ca-file or in"
                            + " COUCH_JOBS_CA_FILE.");
        }
        return new Failure(
                Failure.FAILED,
                "There is no secure connection with " + base + ": " + error.getMessage() + ".",
                "Check the address, and the certificate of the server.");
    }

    private static ApiReply reply(HttpResponse<byte[]> response) {
        String type = response.headers().firstValue("Content-Type").orElse("");
        String text = new String(response.body(), StandardCharsets.UTF_8);
        if (!type.contains("json") || text.isEmpty()) {
            return new ApiReply(response.statusCode(), text, MissingNode.getInstance());
        }
        try {
            return new ApiReply(response.statusCode(), text, Json.read(response.body()));
        } catch (ProblemException e) {
            throw new Failure(
                    Failure.FAILED, "The reply is not JSON, although it says so.", "Is that a couch-jobs server?");
        }
    }

    private ApiReply require(ApiReply reply) {
        if (reply.status() < 300) {
            return reply;
        }
        throw failure(reply);
    }

    /** {@return a problem as an error of the command} */
    Failure failure(ApiReply reply) {
        JsonNode problem = reply.json();
        if (!problem.has("title") && reply.status() == 401) {
            return new Failure(
                    exitCode(reply.status()),
                    base + " does not know who calls.",
                    token.isPresent()
                            ? "It does not take this token; perhaps a proxy before the server wants another one."
                            : "Give a token in COUCH_JOBS_TOKEN or with --token.");
        }
        if (!problem.has("title")) {
            return new Failure(
                    exitCode(reply.status()),
                    base + " replies with status " + reply.status() + ".",
                    "That is no reply of a couch-jobs server; check the address.");
        }
        List<String> details = new ArrayList<>();
        if (problem.has("detail")) {
            details.add(problem.get("detail").asString());
        }
        for (JsonNode error : problem.path("errors")) {
            details.add(error.path("pointer").asString() + ": "
                    + error.path("detail").asString());
        }
        if (reply.status() == 401) {
            details.add(
                    token.isPresent()
                            ? "The server does not know this token."
                            : "Give a token in COUCH_JOBS_TOKEN or with --token.");
        }
        String type = problem.path("type").asString("");
        return new Failure(
                exitCode(reply.status()),
                type.substring(type.lastIndexOf(':') + 1),
                problem.get("title").asString(),
                details);
    }

    private static int exitCode(int status) {
        return switch (status) {
            case 400, 422 -> Failure.USAGE;
            case 401, 403 -> Failure.REFUSED;
            case 404 -> Failure.NOTHING;
            default -> Failure.FAILED;
        };
    }
}
