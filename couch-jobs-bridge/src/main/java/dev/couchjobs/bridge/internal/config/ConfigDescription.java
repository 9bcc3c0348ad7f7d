package dev.couchjobs.bridge.internal.config;

import dev.couchjobs.bridge.internal.action.CommandAllowList;
import dev.couchjobs.bridge.internal.action.CommandLimits;
import dev.couchjobs.bridge.internal.action.ShellSettings;
import dev.couchjobs.bridge.internal.couch.Credentials;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Describes a configuration in plain words, with the defaults. */
final class ConfigDescription {
    private ConfigDescription() {}

    static List<String> of(BridgeConfig config) {
        List<String> lines = new ArrayList<>();
        lines.add("node " + config.node() + " of "
                + String.join(", ", config.cluster().nodes()) + ", joined by "
                + (config.join() == BridgeConfig.Join.FOUNDATIONDB ? "a FoundationDB cluster" : "replication"));
        config.cluster()
                .groups()
                .forEach((name, nodes) -> lines.add("group " + name + ": " + String.join(", ", nodes)));
        lines.add("CouchDB: " + couch(config.couchdb()));
        lines.add("jobs: " + config.engine().describe() + ", under "
                + config.engine().prefix());
        lines.add(config.workers() + " workers; a silent claim is withdrawn after " + text(config.claimTimeout())
                + ", here as on all nodes");
        lines.add("shell commands: " + shell(config.shell()));
        lines.add("HTTP requests: to " + config.http().hosts().describe() + ", each within "
                + text(config.http().timeout()));
        config.replication()
                .peers()
                .forEach((peer, database) -> lines.add("replicates with " + peer + ": " + database.url() + ", "
                        + as(database.credentials())
                        + (config.replication().isSelective() ? ", only what concerns each node" : "")));
        config.workItems()
                .forEach((kind, item) -> lines.add("work items of kind " + kind + ": " + action(item.action()) + ", "
                        + item.concurrency() + " at a time"));
        return lines;
    }

    private static String couch(CouchConfig couch) {
        return couch.url() + ", " + as(couch.credentials())
                + couch.caFile().map(file -> ", trusting " + file).orElse("")
                + (couch.isCreated() ? ", created if missing" : ", never created") + ", heartbeat "
                + text(couch.heartbeat());
    }

    private static String as(Credentials credentials) {
        if (credentials instanceof Credentials.Basic basic) {
            return "as " + basic.name();
        }
        return credentials instanceof Credentials.Cookie cookie
                ? "as " + cookie.name() + " by cookie"
                : "without a user";
    }

    private static String shell(ShellSettings shell) {
        if (!shell.isEnabled()) {
            return "none";
        }
        return allowed(shell.allow())
                + shell.directory().map(place -> ", in " + place).orElse("")
                + ", seeing " + String.join(", ", shell.environment())
                + shell.timeLimit().map(limit -> ", for at most " + text(limit)).orElse("")
                + limits(shell.limits())
                + ", " + text(shell.grace()) + " from TERM to KILL";
    }

    private static String limits(CommandLimits limits) {
        return (limits.memory().isPresent()
                        ? ", with at most " + limits.memory().getAsLong() + " bytes each"
                        : "")
                + limits.processor()
                        .map(limit -> ", with at most " + text(limit) + " of processor time each")
                        .orElse("");
    }

    private static String allowed(CommandAllowList allow) {
        if (allow.isEverything()) {
            return "all";
        }
        List<String> kinds = new ArrayList<>();
        if (!allow.commands().isEmpty()) {
            kinds.add(allow.commands().size() + " as written");
        }
        if (!allow.patterns().isEmpty()) {
            kinds.add("those that match "
                    + (allow.patterns().size() == 1
                            ? "an expression"
                            : "one of " + allow.patterns().size() + " expressions"));
        }
        return kinds.isEmpty() ? "none from documents" : String.join(", and ", kinds);
    }

    private static String action(ActionPlan plan) {
        if (plan instanceof ActionPlan.Shell shell) {
            return "the command " + shell.command();
        }
        return plan instanceof ActionPlan.Http http
                ? http.method() + " " + http.url()
                : "the handler " + ((ActionPlan.Java) plan).name();
    }

    private static String text(Duration duration) {
        return ConfigDuration.text(duration);
    }
}
