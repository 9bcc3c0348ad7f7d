package dev.couchjobs.server;

import dev.couchjobs.server.internal.cli.ServeCommand;

/** The command line: {@code java -jar couch-jobs-server.jar --directory data}; {@code --help} says more. */
public final class ServerMain {
    private ServerMain() {}

    /**
     * Serves until the process receives a signal.
     *
     * @param arguments options
     */
    public static void main(String[] arguments) {
        System.exit(ServeCommand.run(arguments));
    }
}
