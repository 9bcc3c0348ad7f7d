package dev.couchjobs.topics;

import dev.couchjobs.JobsException;

/** There is no topic of this name. Nothing was changed. */
public class TopicNotFoundException extends JobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param name the name of the topic
     */
    public TopicNotFoundException(String name) {
        super("There is no topic \"" + name + "\": create it with Topics.create first.");
    }
}
