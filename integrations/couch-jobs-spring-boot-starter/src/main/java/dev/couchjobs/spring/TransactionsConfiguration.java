package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.AbstractTransactionManagementConfiguration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;

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

    /** Just outside of Spring's advisor, wherever the application has put that. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ConflictAdvisor couchJobsConflictAdvisor(
            ObjectProvider<Database> database,
            ObjectProvider<CouchJobsProperties> properties,
            ObjectProvider<BeanFactoryTransactionAttributeSourceAdvisor> springs) {
        int order = springs.stream()
                .mapToInt(BeanFactoryTransactionAttributeSourceAdvisor::getOrder)
                .min()
                .orElse(Ordered.LOWEST_PRECEDENCE);
        return new ConflictAdvisor(
                database::getObject, properties::getObject, Math.max(order, Ordered.HIGHEST_PRECEDENCE + 1) - 1);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @ConditionalOnMissingBean(AbstractTransactionManagementConfiguration.class)
    static class Management {}
}
