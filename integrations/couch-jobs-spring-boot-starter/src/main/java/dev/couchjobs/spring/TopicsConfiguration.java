package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import dev.couchjobs.topics.Topics;
import dev.couchjobs.topics.TopicsBuilder;
import dev.couchjobs.topics.TopicsListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Topics in the database of the jobs. */
@AutoConfiguration(after = CouchJobsAutoConfiguration.class)
@ConditionalOnClass(Topics.class)
@ConditionalOnBean(Database.class)
class TopicsConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Topics couchJobsTopics(
            Database database, CouchJobsProperties properties, ObjectProvider<TopicsListener> listeners) {
        TopicsBuilder builder = Topics.builder(database);
        properties.rows().ifPresent(rows -> builder.subspace(rows.get("topics")));
        listeners.orderedStream().forEach(builder::listener);
        return builder.build();
    }
}
