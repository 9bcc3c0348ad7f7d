package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.json.Fields;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows and sets limits. */
@Command(
        name = "limits",
        description = "Shows or sets the limits of a type, or of a limit key."
                + " What is left out is cleared if something else is set.")
final class LimitsCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "TYPE", description = "The type.")
    private String type = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "KEY", description = "The limit key.")
    private @Nullable String key;

    @Option(names = "--max", paramLabel = "N", description = "How many jobs run at once.")
    private @Nullable Integer max;

    @Option(
            names = "--rate",
            paramLabel = "N/DURATION",
            description = "How many may start in a time: 10/1s, or 10/1m,burst=5.")
    private @Nullable String rate;

    @Option(names = "--weight", paramLabel = "N", description = "How many jobs a turn key starts in its turn.")
    private @Nullable Integer weight;

    @Option(names = "--clear", description = "Clears the limits.")
    private boolean isClear;

    @Option(
            names = "--each-key",
            paramLabel = "N",
            description = "How many jobs run at once for a key without limits; 0 clears it.")
    private @Nullable Integer eachKey;

    @Option(names = "--paused-keys", description = "Lists the limit keys that are paused.")
    private boolean isPausedKeys;

    @Override
    int run(Session session) {
        boolean isChange = max != null || rate != null || weight != null;
        int wishes = (isChange ? 1 : 0) + (isClear ? 1 : 0) + (eachKey != null ? 1 : 0) + (isPausedKeys ? 1 : 0);
        if (wishes > 1 || (key != null && (eachKey != null || isPausedKeys)) || (key == null && weight != null)) {
            throw new Failure(
                    Failure.USAGE,
                    "These options do not go together.",
                    "--max, --rate and --weight set limits; --weight, of a KEY only; --each-key and --paused-keys, of a"
                            + " type only.");
        }
        Address keys = Address.of("/v1/types/{}/limit-keys", type);
        if (isPausedKeys) {
            items(session, session.api().get(keys), "key");
            return DONE;
        }
        if (eachKey != null) {
            ApiReply reply = eachKey == 0
                    ? session.api().delete(keys)
                    : session.api().put(keys, new Fields().put("max", eachKey).node());
            return done(session, reply, "set the limit of each key of " + type);
        }
        Address limits = key == null
                ? Address.of("/v1/types/{}/limits", type)
                : Address.of("/v1/types/{}/limit-keys/{}", type, key);
        if (isChange || isClear) {
            return done(
                    session,
                    session.api().put(limits, body()),
                    "set the limits of " + type + (key == null ? "" : " " + key));
        }
        fields(session, session.api().get(limits));
        return DONE;
    }

    private JsonNode body() {
        Fields body = new Fields();
        if (max != null) {
            body.put("max", max);
        }
        if (rate != null) {
            body.put("rate", Arguments.rate(rate));
        }
        if (weight != null) {
            body.put("weight", weight);
        }
        return body.node();
    }
}
