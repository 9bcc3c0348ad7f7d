package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.AbstractTransactionManagementConfiguration;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** What {@link JobsTransactional} needs. It takes no other transaction manager's place. */
@AutoConfiguration(
        after = CouchJobsAutoConfiguration.class,
        afterName = "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration")
@ConditionalOnClass(PlatformTransactionManager.class)
@ConditionalOnBean(Database.class)
class TransactionsConfiguration {

    @Bean
    @ConditionalOnMissingBean
    CurrentTransaction couchJobsTransaction(Database database) {
        return new CurrentTransaction(database);
    }

    @Bean(name = JobsTransactional.MANAGER, defaultCandidate = false)
    @ConditionalOnMissingBean(name = JobsTransactional.MANAGER)
    PlatformTransactionManager couchJobsTransactionManager(Database database) {
        return new JobsTransactionManager(database);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @ConditionalOnMissingBean(AbstractTransactionManagementConfiguration.class)
    static class Management {}
}
