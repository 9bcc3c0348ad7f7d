package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.PayloadPlaces;
import dev.couchjobs.server.internal.json.Fields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Topics, their messages and groups. */
@Command(
        name = "topics",
        mixinStandardHelpOptions = true,
        description = "Lists, creates and deletes topics; appends and reads messages; shows and moves groups.",
        subcommands = {
            TopicsCommand.Names.class,
            TopicsCommand.Create.class,
            TopicsCommand.Describe.class,
            TopicsCommand.Delete.class,
            TopicsCommand.Append.class,
            TopicsCommand.Read.class,
            TopicsCommand.Groups.class,
            TopicsCommand.Group.class,
            TopicsCommand.Seek.class
        })
final class TopicsCommand extends CommandGroup {
    private static final String TOPIC = "/v1/topics/{}";

    /** Prints the JSON of a reply, or its fields, and a table for each that has several. */
    private static int print(Session session, ApiReply reply, Map<String, List<String>> tables) {
        if (session.output().isJson()) {
            session.output().json(reply.text());
            return ApiCommand.DONE;
        }
        ObjectNode rest = ((ObjectNode) reply.json()).deepCopy();
        rest.remove(tables.keySet());
        session.output().fields(rest);
        tables.forEach((name, fields) -> {
            JsonNode rows = reply.json().path(name);
            if (!rows.isEmpty()) {
                session.output().table(fields, rows);
            }
        });
        return ApiCommand.DONE;
    }

    /** Lists topics. */
    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the names of the topics.")
    static final class Names extends ApiCommand {
        @Mixin
        private final PageOptions page = new PageOptions();

        @Override
        int run(Session session) {
            return page.printNames(session, Address.of("/v1/topics"));
        }
    }

    /** Creates a topic. */
    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = "Creates a topic, or changes its settings. It never has fewer partitions.")
    static final class Create extends ApiCommand {
        @Parameters(paramLabel = "TOPIC", description = "Its name.")
        private String name = "";

        @Option(names = "--partitions", paramLabel = "N", description = "Default: 1")
        private int partitions = 1;

        @Option(names = "--max-age", paramLabel = "DURATION", description = "Removes messages that are older, as 7d.")
        private @Nullable Duration maxAge;

        @Option(names = "--max-bytes", paramLabel = "N", description = "Removes the oldest of a partition above that.")
        private @Nullable Long maxBytes;

        @Option(
                names = "--consumed-by",
                paramLabel = "GROUP",
                split = ",",
                description = "Removes what these groups have.")
        private List<String> consumedBy = List.of();

        @Option(
                names = "--compact-after",
                paramLabel = "DURATION",
                description = "Keeps the last message of each key, and others for so long once it has come.")
        private @Nullable Duration compactAfter;

        @Override
        boolean makesDirectory() {
            return true;
        }

        @Override
        int run(Session session) {
            Fields body = new Fields().put("partitions", partitions).duration("maxAge", Optional.ofNullable(maxAge));
            if (maxBytes != null) {
                body.put("maxBytes", maxBytes);
            }
            if (!consumedBy.isEmpty()) {
                body.put("consumedBy", consumedBy);
            }
            body.duration("compactAfter", Optional.ofNullable(compactAfter));
            ApiReply reply = session.api().put(Address.of(TOPIC, name), body.node());
            return done(session, reply, "created " + name);
        }
    }

    /** Describes a topic. */
    @Command(
            name = "describe",
            mixinStandardHelpOptions = true,
            description = "Shows the settings of a topic, and what its partitions hold.")
    static final class Describe extends ApiCommand {
        @Parameters(paramLabel = "TOPIC", description = "Its name.")
        private String name = "";

        @Override
        int run(Session session) {
            return print(
                    session,
                    session.api().get(Address.of(TOPIC, name)),
                    Map.of("partitions", List.of("partition", "messages", "bytes", "appended")));
        }
    }

    /** Deletes topics. */
    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = "Deletes topics with their messages and groups.")
    static final class Delete extends ApiCommand {
        @Parameters(arity = "1..*", paramLabel = "TOPIC", description = "Their names.")
        private List<String> names = List.of();

        @Mixin
        private final YesOption yes = new YesOption();

        @Override
        int run(Session session) {
            confirm(session, yes, "Delete " + String.join(", ", names) + " with all messages?");
            return each(session, names, name -> session.api().delete(Address.of(TOPIC, name)), "deleted");
        }
    }

    /** Appends messages. */
    @Command(
            name = "append",
            mixinStandardHelpOptions = true,
            description = "Appends messages in one transaction, in this order.")
    static final class Append extends ApiCommand {
        @Parameters(index = "0", paramLabel = "TOPIC", description = "Its name.")
        private String name = "";

        @Parameters(index = "1..*", arity = "1..*", paramLabel = "VALUE", description = "JSON.")
        private List<String> values = List.of();

        @Option(names = "--key", paramLabel = "KEY", description = "Messages with the same key stay in order.")
        private @Nullable String key;

        @Option(names = "--partition", paramLabel = "N", description = "In place of that of the key.")
        private @Nullable Integer partition;

        @Option(names = "--header", paramLabel = "NAME=TEXT", description = "A header of each; may be given again.")
        private Map<String, String> headers = new LinkedHashMap<>();

        @Override
        int run(Session session) {
            List<JsonNode> messages = new ArrayList<>();
            values.forEach(value -> messages.add(message(Arguments.json("The value", value, PayloadPlaces.WHOLE))));
            ApiReply reply = session.api()
                    .post(
                            Address.of(TOPIC + "/messages", name),
                            new Fields()
                                    .putAll("messages", messages, message -> message)
                                    .node());
            return done(session, reply, "appended to " + name + ": " + messages.size());
        }

        private JsonNode message(JsonNode value) {
            Fields message = new Fields().put("value", value).text("key", Optional.ofNullable(key));
            if (partition != null) {
                message.put("partition", partition);
            }
            if (!headers.isEmpty()) {
                Fields all = new Fields();
                headers.forEach(all::put);
                message.put("headers", all.node());
            }
            return message.node();
        }
    }

    /** Reads messages. */
    @Command(
            name = "read",
            mixinStandardHelpOptions = true,
            description = "Shows messages of a topic in the order of their commits, and consumes none.")
    static final class Read extends ApiCommand {
        @Parameters(paramLabel = "TOPIC", description = "Its name.")
        private String name = "";

        @Option(names = "--partition", paramLabel = "N", description = "Only this one.")
        private @Nullable Integer partition;

        @Option(
                names = "--from",
                paramLabel = "POSITION",
                description = "Where to begin: earliest (the default), latest, a time, or the offset before.")
        private @Nullable String from;

        @Option(
                names = "--limit",
                paramLabel = "N",
                description = "How many at most, to 1000. Default: 100; with --follow no limit")
        private @Nullable Integer limit;

        @Option(names = "--wait", paramLabel = "DURATION", description = "Waits for the first one, at most 60s.")
        private @Nullable Duration wait;

        @Option(names = "--follow", description = "Goes on with messages as they come, each in a line.")
        private boolean isFollowing;

        @Override
        int run(Session session) {
            Address messages = partition == null
                    ? Address.of(TOPIC + "/messages", name)
                    : Address.of(TOPIC + "/partitions/{}/messages", name, partition.toString());
            if (isFollowing) {
                new FollowedMessages(session, messages, Optional.ofNullable(from), Optional.ofNullable(limit)).show();
                return DONE;
            }
            ApiReply page = session.api()
                    .get(messages.with("from", Optional.ofNullable(from))
                            .with("limit", Optional.ofNullable(limit))
                            .with("wait", Optional.ofNullable(wait)));
            if (session.output().isJson()) {
                session.output().json(page.text());
                return DONE;
            }
            session.output()
                    .table(
                            List.of("partition", "offset", "appendedAt", "key", "value", "bytes", "problem"),
                            page.json().path("items"));
            if (page.json().has("trimmedTo")) {
                session.output()
                        .note("Retention has removed messages behind --from, up to "
                                + page.json().path("trimmedTo").asString());
            }
            if (!page.json().path("end").asBoolean()) {
                session.output()
                        .note("There are more: --from "
                                + page.json().path("next").asString());
            }
            return DONE;
        }
    }

    /** Lists the groups of a topic. */
    @Command(name = "groups", mixinStandardHelpOptions = true, description = "Lists the groups of a topic.")
    static final class Groups extends ApiCommand {
        @Parameters(paramLabel = "TOPIC", description = "Its name.")
        private String name = "";

        @Override
        int run(Session session) {
            return names(session, session.api().get(Address.of(TOPIC + "/groups", name)));
        }
    }

    /** Describes, creates or deletes a group. */
    @Command(
            name = "group",
            mixinStandardHelpOptions = true,
            description = "Shows where a group is, and its consumers; or creates or deletes it.")
    static final class Group extends ApiCommand {
        @Parameters(index = "0", paramLabel = "TOPIC", description = "The name of the topic.")
        private String topic = "";

        @Parameters(index = "1", paramLabel = "GROUP", description = "The name of the group.")
        private String group = "";

        @Option(
                names = "--create",
                paramLabel = "POSITION",
                arity = "0..1",
                fallbackValue = "earliest",
                description = "Creates it: it begins at earliest, latest, a time, or behind an offset.")
        private @Nullable String create;

        @Option(names = "--delete", description = "Deletes it with its offsets.")
        private boolean isDeletion;

        @Mixin
        private final YesOption yes = new YesOption();

        @Override
        int run(Session session) {
            Address address = Address.of(TOPIC + "/groups/{}", topic, group);
            if (create != null) {
                JsonNode body = new Fields().put("from", create).node();
                return done(session, session.api().put(address, body), "created " + group);
            }
            if (isDeletion) {
                confirm(session, yes, "Delete the group " + group + " with its offsets?");
                return done(session, session.api().delete(address), "deleted " + group);
            }
            Map<String, List<String>> tables = new LinkedHashMap<>();
            tables.put("partitions", List.of("partition", "lag", "offset", "holder"));
            tables.put("members", List.of("name", "silence"));
            return print(session, session.api().get(address), tables);
        }
    }

    /** Moves a group. */
    @Command(name = "seek", mixinStandardHelpOptions = true, description = "Moves a group.")
    static final class Seek extends ApiCommand {
        @Parameters(index = "0", paramLabel = "TOPIC", description = "The name of the topic.")
        private String topic = "";

        @Parameters(index = "1", paramLabel = "GROUP", description = "The name of the group.")
        private String group = "";

        @Parameters(
                index = "2",
                paramLabel = "POSITION",
                description = "Where it goes on: earliest, latest, a time, or behind an offset.")
        private String position = "";

        @Option(names = "--partition", paramLabel = "N", description = "Only in this one.")
        private @Nullable Integer partition;

        @Override
        int run(Session session) {
            Fields body = new Fields().put("to", position);
            if (partition != null) {
                body.put("partition", partition);
            }
            ApiReply reply = session.api().post(Address.of(TOPIC + "/groups/{}/seek", topic, group), body.node());
            return done(session, reply, "moved " + group + " to " + position);
        }
    }
}
