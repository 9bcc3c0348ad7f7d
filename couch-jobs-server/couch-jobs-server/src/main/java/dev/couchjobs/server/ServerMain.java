package dev.couchjobs.server;

import dev.couchjobs.server.internal.cli.RootCommand;

/** The command line: {@code serve} and the other commands of {@code couch-jobs}; {@code --help} lists them. */
public final class ServerMain {
    private ServerMain() {}

    /**
     * Runs a command, and ends the process with its status.
     *
     * @param arguments the command and its arguments; options alone are those of {@code serve}
     */
    public static void main(String[] arguments) {
        System.exit(RootCommand.run(arguments));
    }
}
