package dev.couchjobs.topics;

import dev.couchjobs.JobsException;

/** There is no such group of consumers. Nothing was changed. */
public class GroupNotFoundException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param group the name of the group
     */
    public GroupNotFoundException(String group) {
        super("There is no group \"" + group + "\". Create it; its first poll or commit does, too.");
    }
}
