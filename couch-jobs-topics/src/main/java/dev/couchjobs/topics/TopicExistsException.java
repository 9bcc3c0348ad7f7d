package dev.couchjobs.topics;

import dev.couchjobs.JobsException;

/** A topic of this name exists, with other settings. Nothing was changed. */
public class TopicExistsException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param name the name of the topic
     * @param present its settings
     */
    public TopicExistsException(String name, TopicSettings present) {
        super("A topic \"" + name + "\" exists with " + present + ": change it with Topics.change, or choose another"
                + " name.");
    }
}
